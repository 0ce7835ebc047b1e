import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { number } from '../../strings/locale.ts';
import { share } from '../../ui/amounts.ts';
import { Card } from '../../ui/card.tsx';
import { Bars, largest, Meter } from '../../ui/charts.tsx';
import { CsvButton } from '../../ui/csvButton.tsx';
import { Choice, changed, Typed } from '../../ui/filterBar.tsx';
import { liveSumMs } from '../../ui/intervals.ts';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Money, Time } from '../../ui/values.tsx';
import { read, readCsv, type Schemas } from '../api.ts';
import { useMay } from '../session.tsx';
import { words } from '../strings.ts';
import { daysOf, periodOf, type UsageSearch, usageGroupings, usageRanges } from '../usagePeriod.ts';

type Usage = Schemas['Usage'];

/** What was charged in a period: each day, and by model, API key or a member of the metadata. */
export function UsageOver() {
  const search = useSearch({ from: '/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const set = (change: UsageSearch) =>
    void navigate({ search: changed<UsageSearch>(search, change), replace: true });
  const { range = 'month', by = 'model', key = 'user' } = search;
  return (
    <Card title={words.usage.charged}>
      <div className="mb-4 grid gap-3 sm:grid-cols-3 xl:grid-cols-[12rem_12rem_12rem]">
        <Choice
          label={words.usage.range}
          value={range}
          of={usageRanges}
          names={words.usage.ranges}
          onChange={(one) => set({ range: one })}
        />
        <Choice
          label={words.usage.by}
          value={by}
          of={usageGroupings}
          names={words.usage.groups}
          onChange={(one) => set({ by: one })}
        />
        {by === 'metadata' && (
          <Typed label={words.usage.metadataKey} value={key} onChange={(one) => set({ key: one })} />
        )}
      </div>
      <div className="grid gap-6 xl:grid-cols-2">
        <Days range={range} />
        <Groups query={{ ...periodOf(range, Date.now()), group_by: by, metadata_key: key }} by={by} />
      </div>
    </Card>
  );
}

function useUsage(query: Record<string, string | undefined>) {
  return useQuery({
    queryKey: ['usage', query],
    queryFn: () => read<Usage>('/usage', query),
    refetchInterval: liveSumMs,
  });
}

function Days({ range }: { range: NonNullable<UsageSearch['range']> }) {
  const { data, error, isPending, refetch } = useUsage({ ...periodOf(range, Date.now()), group_by: 'day' });
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton rows={4} />;
  const costs = new Map(data.data.map(({ day, cost }) => [day, cost]));
  const days = daysOf(data);
  const texts = days.map((day) => costs.get(day) ?? '0.00');
  const cost = { name: words.usage.cost, look: 'good' as const, values: texts.map(Number), texts };
  return (
    <Bars
      label={words.usage.byDay}
      times={days.map((day) => `${day}T00:00:00.000Z`)}
      series={[{ ...cost, total: data.total.cost }]}
      per="day"
    />
  );
}

function Groups({
  query,
  by,
}: {
  query: Record<string, string | undefined>;
  by: (typeof usageGroupings)[number];
}) {
  const { data, error, isPending, refetch } = useUsage(query);
  const names = useKeyNames(by === 'api_key');
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton rows={4} />;
  if (data.data.length === 0) return <Empty title={words.usage.none} />;
  const rows = data.data.map((row) => {
    const group = row[by] ?? null;
    return { ...row, group, name: group === null ? words.usage.without[by] : (names.get(group) ?? group) };
  });
  const total = { ...data.total, group: null, name: words.usage.total };
  const max = largest(data.data.map(({ cost }) => cost));
  return (
    <div className="text-xs">
      <Table
        caption={words.usage.groups[by]}
        rows={[...rows, total]}
        keyOf={(row) => (row === total ? 'total' : `of ${row.group}`)}
        lookOf={(row) => (row === total ? 'font-semibold' : '')}
        columns={[
          {
            name: words.usage.groups[by],
            of: (row) => (
              <div className="min-w-32 max-w-72">
                <span className="wrap-anywhere">{row.name}</span>
                {row !== total && <Meter share={share(row.cost, max)} />}
              </div>
            ),
          },
          { name: words.usage.executions, of: ({ executions }) => number(executions) },
          { name: words.usage.inputTokens, of: (row) => number(row.input_tokens) },
          { name: words.usage.outputTokens, of: (row) => number(row.output_tokens) },
          { name: words.usage.cost, of: ({ cost }) => <Money of={cost} /> },
        ]}
      />
      {data.counted_since && (
        <p className="mt-3 text-soft">
          {words.usage.countedSince} <Time at={data.counted_since} />
        </p>
      )}
      <Csv query={query} of={data} />
    </div>
  );
}

/** Only a session that shows keys knows their names. */
function useKeyNames(isWanted: boolean): Map<string, string> {
  const may = useMay();
  const { data } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: () => read<Schemas['ApiKeyPage']>('/api-keys', { limit: 100 }),
    enabled: isWanted && may('keys'),
  });
  return new Map(data?.data.map(({ id, name }) => [id, name]));
}

function Csv({ query, of }: { query: Record<string, string | undefined>; of: Usage }) {
  const name = `usage_by_${of.group_by}_${of.from.slice(0, 10)}_${of.to.slice(0, 10)}.csv`;
  return (
    <div className="mt-3">
      <CsvButton name={name} read={() => readCsv('/usage', query)} />
    </div>
  );
}
