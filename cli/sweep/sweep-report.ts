import { terminalColumns } from "../../provider/terminal-columns";
import { keyColumns } from "../keys/key-columns";
import { table } from "../table";
import { print } from "../terminal";
import type { SweptOwners } from "./sweep-owners";
import { REASONS, type SweepPlan } from "./sweep-plan";

/** Prints a sweep plan. */
export function printPlan({ revoke, keep, held }: SweepPlan, owners: SweptOwners, now: number): void {
  const isOne = owners.size === 1;
  const tags = `${isOne ? "owner tag" : "owner tags"} ${[...owners.keys()].join(", ")}`;
  const rows = [
    ...revoke.map((key) => ({ ...key, plan: "revoke" })),
    ...keep.map(({ key, reason }) => ({ ...key, plan: `keep: ${REASONS[reason]}` })),
  ];
  if (rows.length > 0) {
    const plan = {
      title: "PLAN",
      text: (row: { readonly plan: string }) => row.plan,
      tone: (row: { readonly plan: string }) => (row.plan === "revoke" ? ("bad" as const) : undefined),
      atLeast: 15,
    };
    for (const line of table(rows, [...keyColumns(now), plan], terminalColumns(process.stdout))) print(...line);
    print("");
  }
  const inStates = held > 0 ? `, ${held} in a state` : "";
  if (revoke.length + keep.length + held === 0)
    print(
      `${tags}: no live key has ${isOne ? "this tag. Check that the tag is correct" : "one of these tags. Check that the tags are correct"}`,
    );
  else print(`${tags}: ${revoke.length} to revoke, ${keep.length} to keep${inStates}`);
}
