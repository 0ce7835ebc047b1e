import { type Growth, judgeGrowth } from './growth.ts';
import type { Sample } from './sample.ts';

const mib = 2 ** 20;

const isHandles = (name: string) => name.endsWith(' handles');
/** Connections to PostgreSQL and Redis stay open after the load. */
const handlesSlack = 64;

// Series that must not grow, with their normal variation: little for fresh processes, more after outages. All others
// grow by design. These indexes hold pending rows and shrink at vacuum.
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

/** Open handles at rest, before the load and after idle connections have closed. */
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
