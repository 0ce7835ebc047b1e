import { lineName, type PendingExecution } from './backlog.ts';

/** Organizations, models, lines and limits that are full, each until a time in ms. */
export type FullNames = Map<string, number>;

/** Another process may free a name, so a full one is tried again after this time at the latest. */
export const maxWaitMs = 1000;

export const organizationName = (organizationId: string): string => `organization:${organizationId}`;
export const fullLineName = (pending: PendingExecution): string => `line:${lineName(pending)}`;

export function markFull(full: FullNames, name: string, waitMs: number, nowMs: number): void {
  full.set(name, nowMs + Math.min(waitMs, maxWaitMs));
}

export function isOrganizationFull(full: FullNames, organizationId: string, nowMs: number): boolean {
  return isFull(full, organizationName(organizationId), nowMs);
}

export function isLineFull(full: FullNames, like: PendingExecution, nowMs: number): boolean {
  return isFull(full, `model:${like.model}`, nowMs) || isFull(full, fullLineName(like), nowMs);
}

function isFull(full: FullNames, name: string, nowMs: number): boolean {
  return (full.get(name) ?? 0) > nowMs;
}

/** Takes in which names another run has freed. */
export function free(full: FullNames, names: readonly string[]): void {
  for (const name of names) full.delete(name);
  // Which line waits for which connection is unknown, so all are tried.
  if (!names.some((name) => /^(connection|route):/.test(name))) return;
  for (const name of full.keys()) if (name.startsWith('line:')) full.delete(name);
}

/** Removes the names whose time has passed. Returns the earliest time of all, those included; Infinity: nothing is full. */
export function removePassed(full: FullNames, nowMs: number): number {
  const earliestMs = [...full.values()].reduce((least, untilMs) => Math.min(least, untilMs), Infinity);
  for (const [name, untilMs] of full) if (untilMs <= nowMs) full.delete(name);
  return earliestMs;
}
