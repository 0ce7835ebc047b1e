import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { read, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { subtract } from '../../ui/amounts.ts';
import { Card } from '../../ui/card.tsx';
import { Bars } from '../../ui/charts.tsx';
import { liveSumMs } from '../../ui/intervals.ts';
import { fieldTime, type MoneySearch, moneyQuery } from '../search/filters.ts';

type Whole = Schemas['Money'];
type Total = Schemas['MoneyTotal'];
type Timed = Total & { group: string };

/** What an address of the page Money asks for, read again while it is shown. */
export function useMoney(search: MoneySearch) {
  return useQuery({
    queryKey: ['money', search],
    queryFn: ({ signal }) => read<Whole>('/money', moneyQuery(search, Date.now()), signal),
    refetchInterval: liveSumMs,
    placeholderData: keepPreviousData,
  });
}

type Period = { from: string; to: string };
type Props = {
  title: string;
  search: MoneySearch;
  onPick: (period: Period) => void;
  aside?: ReactNode;
};

/** What a period brought in, by hour or day: a click picks one. */
export function OverTime(props: Props) {
  const margin = (row: Total) => (row.margin.startsWith('-') ? '0.00' : row.margin);
  const parts = [
    [text.money.cost, 'soft', (row: Total) => row.cost],
    [text.money.lost, 'bad', (row: Total) => row.lost],
    [text.money.margin, 'good', margin],
    [text.money.unknown, 'busy', (row: Total) => subtract(row.revenue, row.known_revenue)],
  ] as const;
  const seriesOf = (rows: Timed[], total: Total) =>
    parts.map(([name, look, amountOf]) => {
      const texts = rows.map(amountOf);
      return { name, look, texts, values: texts.map(Number), total: amountOf(total) };
    });
  return <Timeline {...props} seriesOf={seriesOf} />;
}

/** How many executions completed, by hour or day, and how many runs failed after they had cost something. */
export function CompletedOverTime(props: Props) {
  const seriesOf = (rows: Timed[]) => [
    { name: text.money.executions, look: 'good' as const, values: rows.map((row) => row.executions) },
    { name: text.money.lostOnes, look: 'bad' as const, values: rows.map((row) => row.lost_runs) },
  ];
  return <Timeline {...props} seriesOf={seriesOf} />;
}

function Timeline(
  props: Props & {
    seriesOf: (rows: Timed[], total: Total) => Parameters<typeof Bars>[0]['series'];
  },
) {
  const { title, search, seriesOf, onPick, aside } = props;
  const { data } = useMoney({ ...search, by: 'time' });
  if (!data || data.group_by !== 'time' || data.data.length === 0) return null;
  const rows = withGaps(data);
  return (
    <Card title={title} aside={aside}>
      <Bars
        label={title}
        times={rows.map(({ group }) => group)}
        series={seriesOf(rows, data.total)}
        per={data.unit === 'day' ? 'day' : 'minute'}
        onPick={(at) => onPick(periodFrom(at, data.unit))}
      />
    </Card>
  );
}

const unitMs = { hour: 3_600_000, day: 86_400_000 };

/** The hour or day that begins at `at`. */
export const periodFrom = (at: string, unit: Whole['unit']): Period => ({
  from: fieldTime(at),
  to: fieldTime(new Date(Date.parse(at) + unitMs[unit]).toISOString()),
});

const nothing = {
  executions: 0,
  revenue: '0.00',
  known_revenue: '0.00',
  cost: '0.00',
  lost_runs: 0,
  lost: '0.00',
  margin: '0.00',
};

/** A row for each hour or day of the period. */
function withGaps({ from, to, unit, data }: Whole): Timed[] {
  const rows = new Map(data.map((row) => [Date.parse(row.group ?? ''), row]));
  const count = Math.ceil((Date.parse(to) - Date.parse(from)) / unitMs[unit]);
  return Array.from({ length: count }, (_, index) => {
    const at = Date.parse(from) + index * unitMs[unit];
    return { ...nothing, ...rows.get(at), group: new Date(at).toISOString() };
  });
}
