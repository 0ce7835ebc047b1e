import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { OrganizationField } from '../features/organizations/organizations.tsx';
import { type DeliveryFilters, deliveryQuery, timesOf } from '../features/search/filters.ts';
import { Recovery } from '../features/webhooks/recovery.tsx';
import { WebhookTabs } from '../features/webhooks/webhookParts.tsx';
import { eventTypes } from '../features/webhooks/webhooks.ts';
import { text } from '../strings.ts';
import { linkLook } from '../ui/button.tsx';
import { Chosen, changed, FilterBar, Typed, WrongTimes } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { createdColumn, idColumn } from '../ui/listColumns.tsx';
import { useKeptFilters, useListKeys, usePages } from '../ui/lists.tsx';
import { type ListColumn, TableList } from '../ui/listTable.tsx';
import { NamedField } from '../ui/namedField.tsx';
import { Empty } from '../ui/states.tsx';
import { Ago, Status } from '../ui/values.tsx';

type Page = Schemas['AnyDeliveryPage'];
type Delivery = Schemas['Delivery'];
type Endpoint = Pick<Schemas['AnyWebhookEndpoint'], 'id' | 'organization_id'>;

const statuses = ['pending', 'delivered', 'failed', 'expired', 'failed,expired'];

export function WebhookDeliveries() {
  const filters = useSearch({ from: '/webhooks/deliveries' });
  useKeptFilters('/webhooks/deliveries', filters);
  return (
    <>
      <div className="mb-2 flex items-center justify-between gap-3">
        <Heading title={text.webhooks.deliveries}>{text.webhooks.title}</Heading>
        <Recovery filters={filters} />
      </div>
      <WebhookTabs />
      <Filters of={filters} />
      <WrongTimes of={timesOf(filters).wrong} />
      <DeliveryList filters={filters} />
    </>
  );
}

/** The newest deliveries that match, and older ones on demand. `of`: the endpoint whose page shows them in short. */
export function DeliveryList({ filters, of }: { filters: DeliveryFilters; of?: Endpoint }) {
  useListKeys();
  const isShort = of !== undefined;
  const query = { ...deliveryQuery(filters), limit: isShort ? 10 : 50 };
  const readPage = async (cursor: string | undefined) => {
    if (of) return await readOfEndpoint(of, { ...query, cursor });
    const whose = { organization_id: filters.organization, endpoint_id: filters.endpoint };
    return await read<Page>('/webhooks/deliveries', { ...query, ...whose, cursor });
  };
  const pages = usePages(['deliveries', filters, isShort], readPage, { isLive: true });
  const isFiltered = Object.entries(filters).some(([name, value]) => value && name !== 'endpoint');
  const empty = isFiltered ? (
    <NoMatch filters={filters} />
  ) : (
    <Empty title={text.webhooks.noDeliveries} hint={text.webhooks.noDeliveriesHint} />
  );
  return (
    <TableList
      name="deliveries"
      caption={text.webhooks.deliveries}
      columns={isShort ? shortColumns : longColumns}
      {...{ pages, readPage, empty, isShort }}
      about={text.webhooks.order}
    />
  );
}

/** By the index of its deliveries, however many other endpoints have. */
async function readOfEndpoint(of: Endpoint, query: Readonly<Record<string, string | number | undefined>>) {
  const path = `/organizations/${of.organization_id}/webhooks/endpoints/${of.id}/deliveries`;
  const { deliveries, ...page } = await read<Schemas['DeliveryPage']>(path, query);
  return { ...page, data: deliveries };
}

/** Those who look for failures mean the retried ones as well. */
function NoMatch({ filters }: { filters: DeliveryFilters }) {
  if (!filters.status?.startsWith('failed'))
    return <Empty title={text.webhooks.noDelivery} hint={text.webhooks.noMatchHint} />;
  return (
    <Empty title={text.webhooks.noneFailed} hint={text.webhooks.noneFailedHint}>
      <Link to="/webhooks/deliveries" search={{ ...filters, status: 'pending' }} className={linkLook}>
        {text.webhooks.showPending}
      </Link>
    </Empty>
  );
}

const columns: readonly ListColumn<Delivery>[] = [
  {
    name: text.webhooks.event,
    of: ({ id, event_type: type, created_at: at }) => (
      <Link
        data-row
        to="/webhooks/deliveries/$id"
        params={{ id }}
        className="block truncate rounded font-medium"
      >
        {type}
        <span className="block font-normal text-soft text-xs sm:hidden">
          <Ago at={at} />
        </span>
      </Link>
    ),
    csv: ({ event_type: type }) => type,
  },
  idColumn('wide'),
  {
    name: text.list.status,
    of: (row) => (
      <>
        <Status of={row.status} />
        <span className="block truncate text-bad text-xs xl:hidden">{outcomeOf(row)}</span>
      </>
    ),
    csv: ({ status }) => status,
    width: 'w-28',
  },
  {
    name: text.webhooks.attemptsMade,
    of: ({ attempts }) => attempts.length,
    csv: ({ attempts }) => attempts.length,
    order: ({ attempts }) => attempts.length,
    from: 'md',
    width: 'w-24',
    isNumber: true,
  },
  {
    name: text.webhooks.outcome,
    of: (row) => <span title={outcomeOf(row)}>{outcomeOf(row)}</span>,
    csv: outcomeOf,
    from: 'xl',
    width: 'w-52',
  },
];

/** An endpoint's own page says its URL once. */
const url: ListColumn<Delivery> = {
  name: text.webhooks.endpoint,
  of: (row) => (
    <span title={row.url} className="text-soft">
      {row.url}
    </span>
  ),
  csv: (row) => row.url,
  from: 'md',
};

const shortColumns = [...columns, createdColumn];
const longColumns = [...columns.slice(0, 2), url, ...columns.slice(2), createdColumn];

function outcomeOf({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last?.error ?? String(last?.status_code ?? '');
}

/** By its URL as well, among those of the organization that is filtered by. */
function EndpointFilter({ of, onChange }: { of: DeliveryFilters; onChange: (id: string) => void }) {
  const { endpoint: id, organization } = of;
  const { data } = useQuery({
    queryKey: ['webhook endpoint', id],
    queryFn: () => read<Schemas['AnyWebhookEndpoint']>(`/webhooks/endpoints/${encodeURIComponent(id ?? '')}`),
    enabled: id !== undefined,
  });
  const find = async (typed: string) => {
    const query = { text: typed, organization_id: organization };
    const page = await read<Schemas['AnyWebhookEndpointPage']>('/webhooks/endpoints', query);
    return page.data.map((one) => ({ id: one.id, name: one.url }));
  };
  return (
    <NamedField
      label={text.webhooks.endpoint}
      placeholder={text.webhooks.endpointHint}
      prefix="wh"
      value={id}
      name={data?.url}
      find={find}
      none={text.webhooks.noEndpoint}
      onChange={onChange}
    />
  );
}

function Filters({ of }: { of: DeliveryFilters }) {
  const navigate = useNavigate();
  const set = (change: DeliveryFilters) =>
    void navigate({ to: '/webhooks/deliveries', search: changed(of, change) });
  return (
    <FilterBar
      columns="lg:grid-cols-4"
      isFiltered={Object.values(of).some(Boolean)}
      onClear={() => void navigate({ to: '/webhooks/deliveries', search: {} })}
    >
      <Chosen
        label={text.list.status}
        any={text.list.anyStatus}
        value={of.status}
        of={statuses}
        onChange={(status) => set({ status })}
      />
      <Chosen
        label={text.webhooks.event}
        any={text.webhooks.anyEvent}
        value={of.event}
        of={eventTypes}
        onChange={(event) => set({ event })}
      />
      <OrganizationField value={of.organization} onChange={(organization) => set({ organization })} />
      <EndpointFilter of={of} onChange={(endpoint) => set({ endpoint })} />
      <Chosen
        label={text.webhooks.attempted}
        any={text.webhooks.anyAttempted}
        value={of.attempted}
        of={['yes', 'no']}
        onChange={(attempted) => set({ attempted })}
      />
      <Typed
        label={text.list.from}
        type="datetime-local"
        value={of.from}
        onChange={(from) => set({ from })}
      />
      <Typed label={text.list.to} type="datetime-local" value={of.to} onChange={(to) => set({ to })} />
    </FilterBar>
  );
}
