import fc from "fast-check";

// Tests generate the same examples in every run. `KEYPLANE_SEED` sets another seed.
fc.configureGlobal({ seed: Number(process.env.KEYPLANE_SEED ?? 20260101) });
