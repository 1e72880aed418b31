import pulumi
import pulumi_keyplane as keyplane

config = pulumi.Config()

# The first `pulumi up` after the key is 90 days old replaces it.
ci = keyplane.ApiKey("ci", rotate_after="90d")

# Gets a new key when `rotation` changes. The previous key works for another day.
app = keyplane.RotatingApiKey("app",
    rotation_triggers={"rotation": config.get("rotation") or "1"},
    grace_period="24h")

pulumi.export("ciKeyName", ci.name)
pulumi.export("ciKey", ci.key)  # shown as [secret]
pulumi.export("appKey", app.key)  # shown as [secret]
pulumi.export("appNext", app.next_action)
