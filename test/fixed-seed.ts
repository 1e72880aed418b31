import fc from "fast-check";

// Tests draw the same examples in every run. `KEYPLANE_SEED` draws others.
fc.configureGlobal({ seed: Number(process.env.KEYPLANE_SEED ?? 20260101) });
