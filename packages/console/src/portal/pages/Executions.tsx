import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  Button,
  duration,
  Empty,
  Field,
  Id,
  inputLook,
  liveMs,
  Money,
  Problem,
  Skeleton,
  Status,
  Time,
} from '../../parts.tsx';
import { text } from '../../strings.ts';
import { read, type Schemas } from '../api.ts';
import { words } from '../strings.ts';

const statuses = ['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

export function Executions() {
  const filters = useSearch({ from: '/executions' });
  const pages = useInfiniteQuery({
    queryKey: ['executions', filters],
    queryFn: ({ pageParam }) =>
      read<Schemas['ExecutionPage']>('/executions', { ...filters, limit: 50, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    // Later pages do not change with time: reading all of them again would cost more than it shows.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? liveMs : false),
  });
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
        <h1 className="font-semibold text-xl">{words.nav.executions}</h1>
        <Filters />
      </div>
      <div className="overflow-x-auto rounded-lg border border-line bg-card">
        {pages.isPending && <Skeleton rows={10} />}
        {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
        {pages.data && rows.length === 0 && (
          <Empty
            title={isFiltered ? words.executions.none : words.executions.empty}
            hint={isFiltered ? words.executions.noneHint : words.executions.emptyHint}
          />
        )}
        {rows.length > 0 && <Rows rows={rows} />}
      </div>
      {pages.hasNextPage && (
        <div className="mt-3">
          <Button onClick={() => void pages.fetchNextPage()} disabled={pages.isFetchingNextPage}>
            {text.list.more}
          </Button>
        </div>
      )}
    </>
  );
}

function Filters() {
  const filters = useSearch({ from: '/executions' });
  const navigate = useNavigate({ from: '/executions' });
  const models = useQuery({
    queryKey: ['models'],
    queryFn: () => read<Schemas['ModelList']>('/models'),
    staleTime: 60_000,
  });
  const choose = (name: 'status' | 'model', value: string) => {
    const { [name]: _before, ...others } = filters;
    void navigate({ search: value === '' ? others : { ...others, [name]: value }, replace: true });
  };
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field label={text.list.status}>
        <select
          value={filters.status ?? ''}
          onChange={(event) => choose('status', event.currentTarget.value)}
          className={inputLook}
        >
          <option value="">{text.list.anyStatus}</option>
          {statuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </Field>
      <Field label={text.list.model}>
        <select
          value={filters.model ?? ''}
          onChange={(event) => choose('model', event.currentTarget.value)}
          className={inputLook}
        >
          <option value="">{text.list.anyModel}</option>
          {(models.data?.data ?? []).map(({ slug }) => (
            <option key={slug}>{slug}</option>
          ))}
        </select>
      </Field>
      {Object.keys(filters).length > 0 && (
        <Button onClick={() => void navigate({ search: {}, replace: true })}>{words.executions.clear}</Button>
      )}
    </div>
  );
}

function Rows({ rows }: { rows: Schemas['Execution'][] }) {
  const columns = [
    text.list.execution,
    text.list.status,
    text.list.created,
    text.list.duration,
    text.list.cost,
  ];
  return (
    <table className="w-full text-left">
      <caption className="sr-only">{words.nav.executions}</caption>
      <thead className="text-soft text-xs">
        <tr className="border-line border-b">
          {columns.map((name) => (
            <th key={name} className="px-4 py-2 font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className="border-line border-b last:border-0 hover:bg-hover">
            <td className="px-4 py-2">
              <Link to="/executions/$id" params={{ id: row.id }} className="block min-w-44">
                <span className="block font-medium">{row.model}</span>
                <span className="text-soft">
                  <Id of={row.id} />
                </span>
              </Link>
            </td>
            <td className="px-4 py-2">
              <Status of={row.status} />
            </td>
            <td className="px-4 py-2">
              <Time at={row.created_at} />
            </td>
            <td className="px-4 py-2 whitespace-nowrap tabular-nums">
              {row.completed_at ? duration(Date.parse(row.completed_at) - Date.parse(row.created_at)) : '–'}
            </td>
            <td className="px-4 py-2">
              <Money of={row.cost} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
