import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { read, type Schemas } from '../api.ts';
import { More, useListKeys } from '../lists.tsx';
import {
  Button,
  duration,
  Empty,
  Field,
  Id,
  inputLook,
  Money,
  Problem,
  Skeleton,
  Status,
  Time,
} from '../parts.tsx';
import { text } from '../strings.ts';
import { type Filters, timesOf } from './filters.ts';

type Page = Schemas['AnyExecutionPage'];
type Execution = Schemas['AnyExecution'];

/** Live lists are read again this often. */
const liveMs = 3000;
const statuses = ['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

/** What the search field means: an id or its beginning, `name=value` of the metadata, or an idempotency key. */
function searched(q: string | undefined): Record<string, string> {
  if (!q) return {};
  if (/^exec_[0-9a-f-]*$/.test(q)) return { id_prefix: q };
  const [, name, value] = /^([^=]+)=(.+)$/.exec(q) ?? [];
  if (name && value) return { metadata_name: name.trim(), metadata_value: value.trim() };
  return { idempotency_key: q };
}

function queryOf(filters: Filters) {
  const { from, to } = timesOf(filters);
  return {
    ...searched(filters.q),
    status: filters.status,
    model: filters.model,
    provider: filters.provider,
    organization_id: filters.organization,
    error_code: filters.error,
    created_after: from,
    created_before: to,
    limit: 50,
  };
}

export function Executions() {
  const filters = useSearch({ from: '/executions' });
  const [isLive, setLive] = useState(true);
  useListKeys();
  const pages = useInfiniteQuery({
    queryKey: ['executions', filters],
    queryFn: ({ pageParam }) => read<Page>('/executions', { ...queryOf(filters), cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    // Only the first page follows: older ones do not change.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= 1,
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 0) <= 1 ? liveMs : false),
  });
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  // A page of a search may be empty although older executions match.
  const isSearching = rows.length === 0 && hasNextPage;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);

  return (
    <>
      <div className="mb-4 flex items-center justify-between gap-3">
        <h1 className="font-semibold text-xl">{text.nav.executions}</h1>
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={isLive}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          {text.list.live}
        </label>
      </div>
      <FilterBar filters={filters} />
      {timesOf(filters).wrong.map((given) => (
        <p key={given} role="alert" className="mb-4 text-bad">
          {text.list.notATime(given)}
        </p>
      ))}
      <div className="overflow-hidden rounded-lg border border-line bg-card">
        {pages.isPending && <Skeleton rows={10} />}
        {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
        {isSearching && <Empty title={text.list.searching} />}
        {pages.data && rows.length === 0 && !hasNextPage && <NoRows filters={filters} />}
        {rows.length > 0 && <Rows rows={rows} />}
      </div>
      {rows.length > 0 && (
        <div className="mt-3 flex items-center justify-between gap-3 text-soft">
          <span className="hidden text-xs sm:inline">{text.list.keys}</span>
          <More pages={pages} />
        </div>
      )}
    </>
  );
}

function NoRows({ filters }: { filters: Filters }) {
  const isFiltered = Object.values(filters).some(Boolean);
  return isFiltered ? (
    <Empty title={text.list.none} hint={text.list.noneHint} />
  ) : (
    <Empty title={text.list.empty} hint={text.list.emptyHint} />
  );
}

type Models = Schemas['ModelDefinitionList'];

function useCatalogue() {
  const { data } = useQuery({
    queryKey: ['models'],
    queryFn: () => read<Models>('/models'),
    staleTime: 60_000,
  });
  const models = data?.data.map(({ slug }) => slug) ?? [];
  const providers = (data?.data ?? []).flatMap(({ definition }) => {
    const { providers: routes } = definition as { providers?: { connection?: string; adapter?: string }[] };
    return Array.isArray(routes) ? routes.map((route) => route.connection ?? route.adapter ?? '') : [];
  });
  return { models, providers: [...new Set(providers)].filter((name) => name !== '') };
}

function FilterBar({ filters }: { filters: Filters }) {
  const navigate = useNavigate();
  const box = useRef<HTMLInputElement>(null);
  const catalogue = useCatalogue();
  const set = (change: Filters) => {
    const next = Object.fromEntries(Object.entries({ ...filters, ...change }).filter(([, value]) => value));
    void navigate({ to: '/executions', search: next });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    set({ q: box.current?.value.trim() ?? '' });
  };
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <form onSubmit={submit} className="mb-4 grid grid-cols-2 gap-2 lg:grid-cols-[2fr_1fr_1fr_1fr]">
      <label className="col-span-2 lg:col-span-1">
        <span className="sr-only">{text.list.search}</span>
        <input
          ref={box}
          type="search"
          key={filters.q ?? ''}
          defaultValue={filters.q ?? ''}
          placeholder={text.list.search}
          className={inputLook}
        />
      </label>
      <Choice
        label={text.list.status}
        any={text.list.anyStatus}
        value={filters.status}
        of={statuses}
        onChange={(status) => set({ status })}
      />
      <Choice
        label={text.list.model}
        any={text.list.anyModel}
        value={filters.model}
        of={catalogue.models}
        onChange={(model) => set({ model })}
      />
      <Choice
        label={text.list.provider}
        any={text.list.anyProvider}
        value={filters.provider}
        of={catalogue.providers}
        onChange={(provider) => set({ provider })}
      />
      <details
        className="col-span-2 lg:col-span-4"
        open={Boolean(filters.organization ?? filters.error ?? filters.from ?? filters.to)}
      >
        <summary className="cursor-pointer text-soft">{`${text.list.organization}, ${text.list.error}, ${text.list.created}`}</summary>
        <div className="mt-2 grid grid-cols-2 gap-2 lg:grid-cols-4">
          <Typed
            label={text.list.organization}
            value={filters.organization}
            onChange={(organization) => set({ organization })}
          />
          <Typed label={text.list.error} value={filters.error} onChange={(error) => set({ error })} />
          <Typed
            label={text.list.from}
            type="datetime-local"
            value={filters.from}
            onChange={(from) => set({ from })}
          />
          <Typed
            label={text.list.to}
            type="datetime-local"
            value={filters.to}
            onChange={(to) => set({ to })}
          />
        </div>
      </details>
      {/* Enter submits a form of several fields only if it has a button. */}
      <button type="submit" className="sr-only" tabIndex={-1}>
        {text.list.submit}
      </button>
      {isFiltered && (
        <div>
          <Button onClick={() => void navigate({ to: '/executions', search: {} })}>{text.list.clear}</Button>
        </div>
      )}
    </form>
  );
}

type Choosing = {
  label: string;
  any: string;
  value: string | undefined;
  of: string[];
  onChange: (value: string) => void;
};

function Choice({ label, any, value, of, onChange }: Choosing) {
  const options = value && !of.includes(value) ? [...of, value] : of;
  return (
    <label>
      <span className="sr-only">{label}</span>
      <select
        value={value ?? ''}
        onChange={(event) => onChange(event.currentTarget.value)}
        className={inputLook}
      >
        <option value="">{any}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

type Typing = { label: string; value: string | undefined; type?: string; onChange: (value: string) => void };

function Typed({ label, value = '', type = 'text', onChange }: Typing) {
  return (
    <Field label={label}>
      <input
        type={type}
        key={value}
        defaultValue={value}
        onBlur={(event) => event.currentTarget.value !== value && onChange(event.currentTarget.value.trim())}
        className={inputLook}
      />
    </Field>
  );
}

function Rows({ rows }: { rows: Execution[] }) {
  const head = 'px-4 py-2 text-left font-medium text-soft text-xs';
  const cell = 'px-4 py-2.5 align-middle';
  return (
    <table className="w-full table-fixed border-collapse sm:table-auto">
      <thead className="border-line border-b">
        <tr>
          <th className={`${head} w-36`}>{text.list.status}</th>
          <th className={head}>{text.list.execution}</th>
          <th className={`${head} hidden lg:table-cell`}>{text.list.organization}</th>
          <th className={`${head} hidden md:table-cell`}>{text.list.duration}</th>
          <th className={`${head} hidden text-right sm:table-cell`}>{text.list.cost}</th>
          <th className={`${head} hidden sm:table-cell`}>{text.list.created}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className="border-line border-b last:border-0 hover:bg-hover">
            <td className={cell}>
              <Status of={row.status} />
              {row.error && <span className="block truncate text-soft text-xs">{row.error.code}</span>}
            </td>
            <td className={`${cell} min-w-0`}>
              <Link data-row to="/executions/$id" params={{ id: row.id }} className="block min-w-0 rounded">
                <span className="block truncate font-medium">{row.model}</span>
                <Id of={row.id} />
              </Link>
            </td>
            <td className={`${cell} hidden lg:table-cell`}>
              <Link
                to="/organizations/$id"
                params={{ id: row.organization_id }}
                className="underline decoration-line"
              >
                <Id of={`${row.organization_id.slice(0, 12)}…${row.organization_id.slice(-6)}`} />
              </Link>
            </td>
            <td className={`${cell} hidden whitespace-nowrap tabular-nums md:table-cell`}>
              {duration(lengthOf(row))}
            </td>
            <td className={`${cell} hidden text-right sm:table-cell`}>
              <Money of={row.cost} />
            </td>
            <td className={`${cell} hidden sm:table-cell`}>
              <Time at={row.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function lengthOf({ created_at: from, completed_at: to }: Execution): number | null {
  return to === null ? null : Date.parse(to) - Date.parse(from);
}
