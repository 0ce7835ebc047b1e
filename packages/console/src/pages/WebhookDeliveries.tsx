import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { useListKeys, useLivePages } from '../lists.tsx';
import { Button, Empty, Problem, Skeleton, Status, Time } from '../parts.tsx';
import { text } from '../strings.ts';
import { type DeliveryFilters, timesOf } from './filters.ts';
import { Recovery } from './recovery.tsx';
import { Chosen, eventTypes, Typed, WebhookTabs } from './webhookParts.tsx';

type Page = Schemas['AnyDeliveryPage'];
type Delivery = Schemas['AnyDelivery'];

const statuses = ['pending', 'delivered', 'failed', 'expired'];

export function WebhookDeliveries() {
  const filters = useSearch({ from: '/webhooks/deliveries' });
  return (
    <>
      <div className="mb-2 flex items-center justify-between gap-3">
        <h1 className="font-semibold text-xl">{text.webhooks.title}</h1>
        <Recovery filters={filters} />
      </div>
      <WebhookTabs />
      <FilterBar filters={filters} />
      {timesOf(filters).wrong.map((given) => (
        <p key={given} role="alert" className="mb-4 text-bad">
          {text.list.notATime(given)}
        </p>
      ))}
      <div className="rounded-lg border border-line bg-card px-4 py-2">
        <DeliveryList filters={filters} />
      </div>
    </>
  );
}

/** The newest deliveries that match, and older ones on demand. */
export function DeliveryList({ filters, isShort = false }: { filters: DeliveryFilters; isShort?: boolean }) {
  useListKeys();
  const { pages, rows, isSearching } = useLivePages(['deliveries', filters, isShort], (cursor) => {
    const { from, to } = timesOf(filters);
    return read<Page>('/webhooks/deliveries', {
      status: filters.status,
      event_type: filters.event,
      organization_id: filters.organization,
      endpoint_id: filters.endpoint,
      created_after: from,
      created_before: to,
      limit: isShort ? 10 : 50,
      cursor,
    });
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const isFiltered = Object.entries(filters).some(([name, value]) => value && name !== 'endpoint');
  return (
    <>
      {pages.isPending && <Skeleton />}
      {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
      {isSearching && <Empty title={text.webhooks.searching} />}
      {pages.data && rows.length === 0 && !hasNextPage && (
        <Empty
          title={isFiltered ? text.webhooks.noDelivery : text.webhooks.noDeliveries}
          hint={isFiltered ? text.webhooks.noMatchHint : text.webhooks.noDeliveriesHint}
        />
      )}
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <Row key={row.id} of={row} isShort={isShort} />
        ))}
      </ul>
      {rows.length > 0 && hasNextPage && (
        <div className="py-3">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? text.webhooks.searching : text.list.more}
          </Button>
        </div>
      )}
    </>
  );
}

function Row({ of, isShort }: { of: Delivery; isShort: boolean }) {
  const last = of.attempts.at(-1);
  const outcome = last && (last.error ?? (last.status_code === null ? null : String(last.status_code)));
  return (
    <li>
      <Link
        data-row
        to="/webhooks/deliveries/$id"
        params={{ id: of.id }}
        className="-mx-2 flex flex-wrap items-start justify-between gap-x-4 gap-y-1 rounded px-2 py-2.5 hover:bg-hover"
      >
        <span className="min-w-0">
          <span className="flex flex-wrap items-center gap-x-3">
            <span className="font-medium">{of.event_type}</span>
            <Status of={of.status} />
            {of.attempts.length > 0 && (
              <span className="text-soft text-xs">{text.webhooks.attempts(of.attempts.length)}</span>
            )}
          </span>
          {!isShort && <span className="block break-all text-soft text-xs">{of.url}</span>}
          {last?.error && <span className="block break-words text-bad text-xs">{outcome}</span>}
        </span>
        <span className="text-soft">
          <Time at={of.created_at} />
        </span>
      </Link>
    </li>
  );
}

function FilterBar({ filters }: { filters: DeliveryFilters }) {
  const navigate = useNavigate();
  const set = (change: DeliveryFilters) => {
    const next = Object.fromEntries(Object.entries({ ...filters, ...change }).filter(([, value]) => value));
    void navigate({ to: '/webhooks/deliveries', search: next });
  };
  return (
    <div className="mb-4 grid grid-cols-2 items-end gap-2 lg:grid-cols-6">
      <Chosen
        label={text.list.status}
        any={text.list.anyStatus}
        value={filters.status}
        of={statuses}
        onChange={(status) => set({ status })}
      />
      <Chosen
        label={text.webhooks.event}
        any={text.webhooks.anyEvent}
        value={filters.event}
        of={eventTypes}
        onChange={(event) => set({ event })}
      />
      <Typed
        label={text.list.organization}
        value={filters.organization}
        onChange={(organization) => set({ organization })}
      />
      <Typed
        label={text.webhooks.endpoint}
        value={filters.endpoint}
        onChange={(endpoint) => set({ endpoint })}
      />
      <Typed
        label={text.list.from}
        type="datetime-local"
        value={filters.from}
        onChange={(from) => set({ from })}
      />
      <Typed label={text.list.to} type="datetime-local" value={filters.to} onChange={(to) => set({ to })} />
      {Object.values(filters).some(Boolean) && (
        <div>
          <Button onClick={() => void navigate({ to: '/webhooks/deliveries', search: {} })}>
            {text.list.clear}
          </Button>
        </div>
      )}
    </div>
  );
}
