import { accounted, type Bench, create, type Part, undispatched } from '../bench.ts';
import { latencies, perSecond, round, withoutFirst } from '../statistics.ts';

/** Creates at full rate while nothing is dispatched; the executions run afterwards. */
export const creates: Part = {
  about: 'creates/s by many clients of one organization, while no execution is dispatched',
  run: (bench) => measureCreates(bench, 'creates'),
};

export async function measureCreates(bench: Bench, name: string) {
  const { clients, seconds } = bench.flags;
  const warmUpS = 1;
  const load = () => create(bench, { clients, seconds: warmUpS + seconds });
  const all = await undispatched(bench, () => accounted(bench, name, load));
  const created = withoutFirst(all, warmUpS);
  return {
    ...latencies(
      'create',
      created.map(({ latencyMs }) => latencyMs),
    ),
    creates_per_s: round(perSecond(created)),
  };
}
