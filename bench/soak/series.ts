import { type Growth, judgeGrowth } from './growth.ts';
import type { Sample } from './sample.ts';

const mib = 2 ** 20;

const isHandles = (name: string) => name.endsWith(' handles');
/** Handles that a service may have more at rest after the load than before it: connections to its engines stay open. */
const handlesSlack = 64;

/**
 * What should not grow, and by how much it may differ from one moment to the next: processes that were just started need
 * less, those under load after an outage more. Whatever is not here grows by design. The indexes are those of rows that
 * wait, which are cleared when their tables are vacuumed.
 */
const steady: [RegExp, slack: number][] = [
  [/ (rss|heap) bytes$/, 48 * mib],
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

/** Each series of the samples after `warmUpS`, by name; but for handles, which follow what is in hand: see `handlesKept`. */
export function growths(samples: readonly Sample[], warmUpS: number): Growth[] {
  const warm = samples.filter(({ atS }) => atS >= warmUpS);
  const names = new Set(warm.flatMap(({ values }) => Object.keys(values)));
  return [...names]
    .filter((name) => !isHandles(name))
    .map((name) => {
      const points = warm.flatMap(({ executions, values }) =>
        values[name] === undefined ? [] : [{ x: executions, y: values[name] }],
      );
      return judgeGrowth(name, points, slackOf(name));
    });
}

/** The handles of each process that are open at rest, before the load and after it, when idle connections are closed. */
export function handlesKept(before: Sample['values'], after: Sample['values'], executions: number): Growth[] {
  return Object.entries(after)
    .filter(([name]) => isHandles(name))
    .map(([name, last]) => {
      const first = before[name] ?? 0;
      const verdict = last - first > handlesSlack ? 'GROWS' : 'steady';
      const perMillion = ((last - first) / executions) * 1_000_000;
      return { name: `${name} at rest`, samples: 2, first, last, perMillion, verdict };
    });
}
