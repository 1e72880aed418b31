import { InputError } from "../errors";
import { getApiKeys, getProjects } from "../functions";
import { scopeOf } from "../keys/scope";
import type { Session } from "../session/session";
import { described } from "../session/verb";

/** Something that exists on the service: the id with which it can be imported, and its name. */
export interface Listed {
  readonly id: string;
  readonly name: string;
}

/** Lists what exists on the service of a resource type. */
export async function listed(
  session: Session,
  token: string,
  query: { readonly organizationId?: unknown },
): Promise<readonly Listed[]> {
  try {
    const account = session.account(scopeOf({}));
    const { organizationId, ...others } = query;
    const isProject = token === "keyplane:index:ProjectReady";
    for (const name of Object.keys(isProject ? query : others)) {
      throw new InputError(name, `is not an argument of a list of ${token}`);
    }
    if (isProject) return (await getProjects(account)).map(({ id, name }) => ({ id, name }));
    const of = typeof organizationId === "string" ? { organizationId } : {};
    const prefix = typeof organizationId === "string" ? `${organizationId}/` : "";
    return (await getApiKeys(account, of)).map(({ id, name }) => ({ id: prefix + id, name }));
  } catch (error) {
    throw new Error(described(session, `list ${token}`, error));
  } finally {
    await session.engine.flush();
  }
}

/**
 * One page of a list, and the token of the next one.
 * @param after - The token of this page; empty for the first one.
 */
export function pageOf(
  found: readonly Listed[],
  { after, size, limit }: { readonly after: string; readonly size: number; readonly limit: number },
): { readonly items: readonly Listed[]; readonly next: string | undefined } {
  const start = Number(after) || 0;
  const most = Math.min(...[size, limit].map((count) => (count > 0 ? count : found.length)));
  const end = Math.min(start + most, found.length);
  const isOver = end === found.length || (limit > 0 && end - start >= limit);
  return { items: found.slice(start, end), next: isOver ? undefined : String(end) };
}
