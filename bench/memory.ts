import type { LocalState } from '@holdfast/local/launch/stateFile';
import { residentBytes } from './processes.ts';
import { round } from './statistics.ts';

/** Resident memory by service, and of the four services together as `total`. */
export type MemoryMib = Record<string, number>;

const sampledEveryMs = 250;
const bytesPerMib = 2 ** 20;

/** The product's four services: without the sandbox, a provider for tests. */
export function measuredServices({ services }: LocalState): { name: string; pid: number }[] {
  return Object.entries(services).flatMap(([name, { pid }]) => (name === 'sandbox' ? [] : [{ name, pid }]));
}

/** Null when a service has ended, and on systems without `/proc`. */
export function readMemory(state: LocalState): MemoryMib | null {
  const memory: MemoryMib = { total: 0 };
  for (const { name, pid } of measuredServices(state)) {
    const bytes = residentBytes(pid);
    if (bytes === null) return null;
    memory[name] = round(bytes / bytesPerMib);
    memory['total'] = round((memory['total'] ?? 0) + bytes / bytesPerMib);
  }
  return memory;
}

/** The memory at the moment when the total was highest during `work`. */
export async function withPeakMemory<Result>(
  state: LocalState,
  work: () => Promise<Result>,
): Promise<{ result: Result; peak: MemoryMib }> {
  let peak = readMemory(state) ?? {};
  const sampling = setInterval(() => {
    const memory = readMemory(state) ?? {};
    if ((memory['total'] ?? 0) > (peak['total'] ?? 0)) peak = memory;
  }, sampledEveryMs);
  try {
    const result = await work();
    return { result, peak };
  } finally {
    clearInterval(sampling);
  }
}
