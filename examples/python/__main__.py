import pulumi
import pulumi_kubernetes as kubernetes
import pulumi_keyplane as keyplane

config = pulumi.Config()

# The first `pulumi up` after the key is 90 days old replaces it.
ci = keyplane.ApiKey("ci", rotate_after="90d")

# Gets a new key when `rotation` changes. The previous key works for another day.
app = keyplane.RotatingApiKey("app",
    rotation_triggers={"rotation": config.get("rotation") or "1"},
    grace_period="24h")

# The program hands the keys on to what uses them, and exports only their names.
kubernetes.core.v1.Secret("database-keys", string_data={"ci": ci.key, "app": app.key})

pulumi.export("ciKeyName", ci.name)
pulumi.export("appKeyName", app.name)
pulumi.export("appNext", app.next_action)
