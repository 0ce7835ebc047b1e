import { useId } from 'react';
import { locale, number } from '../strings/locale.ts';
import { text } from '../strings/shared.ts';
import { share } from './amounts.ts';
import { amountText, duration } from './format.ts';

export type Series = {
  name: string;
  look: 'good' | 'bad' | 'soft' | 'busy';
  values: number[];
  /** In place of `values` and their sum, where those are exact as text only. */
  texts?: string[];
  total?: string;
};

/** Whole names, which Tailwind looks for in the sources. */
const looks = {
  good: { fill: 'fill-accent', dot: 'bg-accent' },
  bad: { fill: 'fill-bad', dot: 'bg-bad' },
  soft: { fill: 'fill-soft', dot: 'bg-soft' },
  busy: { fill: 'fill-busy', dot: 'bg-busy' },
} as const;

const height = 100;
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const calendar = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const utc = (at: string) => at.replace('T', ' ').replace(/(:00)?(\.\d+)?Z$/, ' UTC');

/** Stacked bars, one per time; the same as a table for those who do not see them. */
export function Bars(props: {
  label: string;
  times: string[];
  series: Series[];
  unit?: 'ms';
  /** How long a bar lasts; a day is one of UTC. */
  per?: 'minute' | 'day';
  onPick?: (at: string) => void;
}) {
  const { label, times, series, unit, per = 'minute', onPick } = props;
  const tableId = useId();
  const totals = times.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const max = Math.max(series.some(({ texts }) => texts) ? 1e-8 : 1, ...totals);
  return (
    <figure className="m-0">
      <Legend series={series} unit={unit} />
      <div className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <span aria-hidden="true" className="text-right text-soft text-xs tabular-nums">
          {unit ? duration(max) : number(max, { maximumSignificantDigits: 4 })}
        </span>
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${times.length * 10} ${height}`}
          preserveAspectRatio="none"
          className="row-span-2 h-36 w-full border-line border-y"
        >
          {times.map((at, index) => (
            <Column
              key={at}
              left={index * 10}
              title={titleOf(at, series, index, per)}
              onPick={onPick && (() => onPick(at))}
              parts={series.map(({ look, values }) => ({ look, share: (values[index] ?? 0) / max }))}
            />
          ))}
        </svg>
        <span aria-hidden="true" className="self-end text-right text-soft text-xs">
          0
        </span>
        <span />
        <p aria-hidden="true" className="mt-1 flex justify-between text-soft text-xs tabular-nums">
          {[times[0], times.at(-1)].map(
            (at) =>
              at && (
                <time key={at} dateTime={at} title={utc(at)}>
                  {named(at, per)}
                </time>
              ),
          )}
        </p>
      </div>
      <details className="mt-2">
        <summary className="cursor-pointer text-soft text-xs">{text.charts.table}</summary>
        <div className="mt-2 max-h-64 overflow-auto" tabIndex={0} role="region" aria-labelledby={tableId}>
          <Table id={tableId} {...{ label, times, series, per, onPick }} />
        </div>
      </details>
    </figure>
  );
}

type Per = 'minute' | 'day';

const named = (at: string, per: Per) => (per === 'day' ? calendar : clock).format(new Date(at));

function valueOf({ values, texts }: Series, index: number): string {
  const exact = texts?.[index];
  return exact === undefined ? number(values[index] ?? 0) : amountText(exact);
}

const titleOf = (at: string, series: Series[], index: number, per: Per) =>
  [
    per === 'day' ? named(at, per) : `${named(at, per)} (${utc(at)})`,
    ...series.map((one) => `${one.name}: ${valueOf(one, index)}`),
  ].join('\n');

function Column(props: {
  left: number;
  title: string;
  onPick: (() => void) | undefined;
  parts: { look: Series['look']; share: number }[];
}) {
  const { left, title, onPick, parts } = props;
  let top = height;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table below has a button for each time
    <g onClick={onPick} className={onPick && 'cursor-pointer'}>
      <title>{title}</title>
      <rect x={left} y={0} width={10} height={height} className="fill-transparent hover:fill-hover" />
      {parts.map(({ look, share }) => {
        top -= share * height;
        return (
          <rect
            key={look}
            x={left + 1}
            y={top}
            width={8}
            height={share * height}
            className={`${looks[look].fill} pointer-events-none`}
          />
        );
      })}
    </g>
  );
}

/** Numbers have a sum; durations have none. */
function Legend({ series, unit }: { series: Series[]; unit: 'ms' | undefined }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {series.map(({ name, look, values, total }) => (
        <li key={name} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-2.5 rounded-sm ${looks[look].dot}`} />
          <span className="text-soft">{name}</span>
          {!unit && (
            <span className="font-medium tabular-nums">
              {total === undefined
                ? number(values.reduce((sum, value) => sum + value, 0))
                : amountText(total)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Table(props: {
  id: string;
  label: string;
  times: string[];
  series: Series[];
  per: Per;
  onPick: ((at: string) => void) | undefined;
}) {
  const { id, label, times, series, per, onPick } = props;
  const cell = 'px-1 py-1 text-right tabular-nums sm:px-2';
  return (
    <table className="w-full text-xs">
      <caption id={id} className="sr-only">
        {label}
      </caption>
      <thead>
        <tr>
          <th scope="col" className="px-1 py-1 text-left font-medium text-soft sm:px-2">
            {text.charts.time}
          </th>
          {series.map(({ name }) => (
            <th key={name} scope="col" className={`${cell} font-medium text-soft`}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((at, index) => (
          <tr key={at} className="border-line border-t">
            <th scope="row" className="px-1 py-1 text-left font-normal sm:px-2">
              <time dateTime={at} title={utc(at)}>
                {onPick ? (
                  <button type="button" onClick={() => onPick(at)} className="underline decoration-soft">
                    {named(at, per)}
                  </button>
                ) : (
                  named(at, per)
                )}
              </time>
            </th>
            {series.map((one) => (
              <td key={one.name} className={cell}>
                {valueOf(one, index)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A share of a whole as a bar; the number beside it says the same. */
export function Meter({ share, look = 'good' }: { share: number; look?: Series['look'] }) {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return (
    <svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none" className="h-1.5 w-full">
      <rect width={100} height={4} rx={1} className="fill-hover" />
      <rect width={width} height={4} rx={1} className={looks[look].fill} />
    </svg>
  );
}

/** The course of amounts, one bar each; the number beside it is their sum. */
export function Sparkline({ amounts }: { amounts: string[] }) {
  const max = largest(amounts);
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${amounts.length * 4} 20`}
      className="inline-block h-5 w-24 max-w-full"
      preserveAspectRatio="none"
    >
      {amounts.map((amount, index) => {
        const size = Math.max(share(amount, max) * 20, 0.5);
        return (
          <rect key={index} x={index * 4} y={20 - size} width={3} height={size} className="fill-accent" />
        );
      })}
    </svg>
  );
}

/** The smallest amount there is, where all are 0. */
export const largest = (amounts: readonly string[]) =>
  amounts.reduce((max, amount) => (share(amount, max) > 1 ? amount : max), '0.00000001');

/** A bar for each amount, with its name and the exact amount. */
export function AmountBars({ label, rows }: { label: string; rows: { name: string; amount: string }[] }) {
  const max = largest(rows.map(({ amount }) => amount));
  return (
    <div className="max-h-80 overflow-y-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full text-xs">
        <caption className="mb-2 text-left text-soft">{label}</caption>
        <tbody>
          {rows.map(({ name, amount }) => (
            <tr key={name}>
              <th
                scope="row"
                className="max-w-40 truncate py-0.5 pr-3 text-left font-normal tabular-nums"
                title={name}
              >
                {name}
              </th>
              <td className="w-full py-0.5">
                <Meter share={share(amount, max)} />
              </td>
              <td className="py-0.5 pl-3 text-right font-mono whitespace-nowrap tabular-nums">{amount}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
