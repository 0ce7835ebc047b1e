import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../bench.ts';
import { processName } from '../cpu.ts';
import { measuredServices, readMemory } from '../memory.ts';
import { commandOf, ownProcesses, threadCpuMs } from '../processes.ts';
import { nowMs, round, sum } from '../statistics.ts';

/** V8 gives back the garbage of loading after some minutes of rest, at another time in each service. */
const quietS = 240;
const measuredS = 20;

/** Memory and CPU of the services while nothing happens. */
export const idle: Part = {
  about: `memory of the services and CPU of every process, ${quietS} s after the start, while nothing happens`,
  isCold: true,
  async run(bench) {
    await sleep(quietS * 1000);
    const [before, startMs] = [cpuByName(), nowMs()];
    await sleep(measuredS * 1000);
    const elapsedMs = nowMs() - startMs;
    const memory = readMemory(bench.state);
    if (memory === null) throw new Error('the memory of the services cannot be read');
    bench.memory['idle'] = memory;
    for (const [name, cpuMs] of cpuByName()) {
      bench.idleCpu[name] = round((100 * (cpuMs - (before.get(name) ?? 0))) / elapsedMs, 2);
    }
    const services = measuredServices(bench.state).map(({ name }) => bench.idleCpu[name] ?? Number.NaN);
    return { idle_memory_mib: memory['total'] ?? Number.NaN, idle_cpu_percent: round(sum(services), 2) };
  },
};

/** The backends of PostgreSQL together; without this process. */
function cpuByName(): Map<string, number> {
  const times = new Map<string, number>();
  for (const { pid } of ownProcesses()) {
    if (pid === process.pid) continue;
    const { name } = processName(commandOf(pid));
    times.set(name, (times.get(name) ?? 0) + threadCpuMs(pid));
  }
  return times;
}
