import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useRef } from 'react';
import { read, type Schemas } from '../api.ts';
import { useListKeys, useLivePages } from '../lists.tsx';
import { Button, Empty, inputLook, Problem, Skeleton, Status } from '../parts.tsx';
import { text } from '../strings.ts';
import type { EndpointFilters } from './filters.ts';
import {
  Chosen,
  Latency,
  OrganizationLink,
  SuccessRate,
  stateOf,
  Typed,
  WebhookTabs,
} from './webhookParts.tsx';

type Page = Schemas['AnyWebhookEndpointPage'];
type Endpoint = Schemas['AnyWebhookEndpoint'];

const states = ['active', 'failing', 'deactivated', 'inactive'];

export function Webhooks() {
  const filters = useSearch({ from: '/webhooks' });
  const { pages, rows, isSearching } = useLivePages(['webhook endpoints', filters], (cursor) =>
    read<Page>('/webhooks/endpoints', {
      organization_id: filters.organization,
      state: filters.state,
      text: filters.q,
      cursor,
    }),
  );
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <>
      <h1 className="mb-2 font-semibold text-xl">{text.webhooks.title}</h1>
      <WebhookTabs />
      <FilterBar filters={filters} />
      <div className="rounded-lg border border-line bg-card">
        {pages.isPending && <Skeleton />}
        {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
        {isSearching && <Empty title={text.list.searching} />}
        {pages.data && rows.length === 0 && !hasNextPage && (
          <Empty
            title={isFiltered ? text.webhooks.noMatch : text.webhooks.none}
            hint={isFiltered ? text.webhooks.noMatchHint : text.webhooks.noneHint}
          />
        )}
        {rows.length > 0 && <Rows rows={rows} />}
      </div>
      {rows.length > 0 && (
        <div className="mt-3 flex items-center justify-between gap-3 text-soft">
          <span className="hidden text-xs sm:inline">{text.list.keys}</span>
          {hasNextPage && (
            <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {text.list.more}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

function FilterBar({ filters }: { filters: EndpointFilters }) {
  const navigate = useNavigate();
  const box = useRef<HTMLInputElement>(null);
  useListKeys();
  const set = (change: EndpointFilters) => {
    const next = Object.fromEntries(Object.entries({ ...filters, ...change }).filter(([, value]) => value));
    void navigate({ to: '/webhooks', search: next });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    set({ q: box.current?.value.trim() ?? '' });
  };
  return (
    <form onSubmit={submit} className="mb-4 grid grid-cols-2 items-end gap-2 lg:grid-cols-[2fr_1fr_1fr]">
      <label className="col-span-2 lg:col-span-1">
        <span className="sr-only">{text.webhooks.search}</span>
        <input
          ref={box}
          type="search"
          key={filters.q ?? ''}
          defaultValue={filters.q ?? ''}
          placeholder={text.webhooks.search}
          className={`${inputLook} h-9`}
        />
      </label>
      <Chosen
        label={text.webhooks.state}
        any={text.webhooks.anyState}
        value={filters.state}
        of={states}
        onChange={(state) => set({ state })}
      />
      <Typed
        label={text.list.organization}
        value={filters.organization}
        onChange={(organization) => set({ organization })}
      />
      <button type="submit" className="sr-only" tabIndex={-1}>
        {text.list.submit}
      </button>
    </form>
  );
}

const head = 'px-4 py-2 text-left font-medium text-soft text-xs';
const cell = 'px-4 py-2.5 align-top';

function Rows({ rows }: { rows: Endpoint[] }) {
  return (
    <table className="w-full table-fixed md:table-auto">
      <thead className="border-line border-b">
        <tr>
          <th scope="col" className={head}>
            {text.webhooks.endpoint}
          </th>
          <th scope="col" className={`${head} w-32 sm:w-auto`}>
            {text.webhooks.state}
          </th>
          <th scope="col" className={`${head} hidden sm:table-cell`}>
            {text.webhooks.success}
          </th>
          <th scope="col" className={`${head} hidden md:table-cell`}>
            {text.webhooks.latency}
          </th>
          <th scope="col" className={`${head} hidden xl:table-cell`}>
            {text.webhooks.inFlight}
          </th>
          <th scope="col" className={`${head} hidden lg:table-cell`}>
            {text.list.organization}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className="border-line border-b last:border-0 hover:bg-hover">
            <td className={`${cell} min-w-0`}>
              <Link data-row to="/webhooks/endpoints/$id" params={{ id: row.id }} className="block rounded">
                <span className="block break-all font-medium">{row.url}</span>
                {row.description && (
                  <span className="line-clamp-1 break-all text-soft text-xs">{row.description}</span>
                )}
              </Link>
            </td>
            <td className={cell}>
              <Status of={stateOf(row)} />
              {row.failure_count > 0 && (
                <span className="block text-bad text-xs">
                  {text.organizations.failures(row.failure_count)}
                </span>
              )}
            </td>
            <td className={`${cell} hidden sm:table-cell`}>
              <SuccessRate of={row.activity} />
            </td>
            <td className={`${cell} hidden md:table-cell`}>
              <Latency of={row.activity} />
            </td>
            <td className={`${cell} hidden tabular-nums xl:table-cell`}>{inFlightOf(row)}</td>
            <td className={`${cell} hidden lg:table-cell`}>
              <OrganizationLink id={row.organization_id} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const inFlightOf = ({ in_flight_limit: found, max_in_flight: most }: Endpoint) =>
  found === null ? text.webhooks.unknownLimit(most) : text.webhooks.limitOf(found, most);
