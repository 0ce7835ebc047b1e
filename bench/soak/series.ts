import { type Growth, judgeGrowth } from './growth.ts';
import type { Sample } from './sample.ts';

const mib = 2 ** 20;

/**
 * What should not grow, and by how much it may differ from one moment to the next: processes that were just started need
 * less, those under load after an outage more. Whatever is not here grows by design. The indexes are those of rows that
 * wait, which are cleared when their tables are vacuumed.
 */
const steady: [RegExp, slack: number][] = [
  [/ (rss|heap) bytes$/, 48 * mib],
  [/ handles$/, 40],
  [/ lag ms$/, 250],
  [/^redis keys$/, 500],
  [/^redis memory bytes$/, 32 * mib],
  [/^pending /, 2000],
  [/^postgres connections$/, 20],
  [/^postgres log bytes$/, 1024 * mib],
  [
    /^(table|index) (api_key|balances|organizations|webhook_endpoints|models|ledger_audit|spend_limits)/,
    16 * mib,
  ],
  [
    /^index \w+_(pending|open|open_expiry|half_stored|leased|waiting|due|to_(poll|settle|process|fan_out)) bytes$/,
    64 * mib,
  ],
];

export function slackOf(name: string): number | null {
  return steady.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** Each series of the samples after `warmUpS`, by name. */
export function growths(samples: readonly Sample[], warmUpS: number): Growth[] {
  const warm = samples.filter(({ atS }) => atS >= warmUpS);
  const names = new Set(warm.flatMap(({ values }) => Object.keys(values)));
  return [...names].map((name) => {
    const points = warm.flatMap(({ executions, values }) =>
      values[name] === undefined ? [] : [{ x: executions, y: values[name] }],
    );
    return judgeGrowth(name, points, slackOf(name));
  });
}
