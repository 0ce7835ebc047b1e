import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { OrganizationField, organizationColumn } from '../features/organizations/organizations.tsx';
import type { EndpointFilters } from '../features/search/filters.ts';
import { Search } from '../features/search/searchField.tsx';
import { Latency, SuccessRate, WebhookTabs } from '../features/webhooks/webhookParts.tsx';
import { stateOf } from '../features/webhooks/webhooks.ts';
import { text } from '../strings.ts';
import { linkLook } from '../ui/button.tsx';
import { Chosen, changed, FilterBar } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { idColumn } from '../ui/listColumns.tsx';
import { isFound, useKeptFilters, useListKeys, usePages } from '../ui/lists.tsx';
import { type ListColumn, TableList } from '../ui/listTable.tsx';
import { Empty } from '../ui/states.tsx';
import { Status } from '../ui/values.tsx';

type Page = Schemas['AnyWebhookEndpointPage'];
type Endpoint = Schemas['AnyWebhookEndpoint'];

const states = ['active', 'failing', 'deactivated', 'inactive'];

export function Webhooks() {
  const filters = useSearch({ from: '/webhooks' });
  useListKeys();
  useKeptFilters('/webhooks', filters);
  const query = { organization_id: filters.organization, state: filters.state, text: filters.q };
  const readPage = (cursor: string | undefined, signal?: AbortSignal) =>
    read<Page>('/webhooks/endpoints', { ...query, cursor }, signal);
  const pages = usePages(['webhook endpoints', filters], readPage, { isLive: true });
  const isFiltered = Object.values(filters).some(Boolean);
  const empty = isFiltered ? (
    <Empty title={text.webhooks.noMatch} hint={text.webhooks.noMatchHint} />
  ) : (
    <Empty title={text.webhooks.none} hint={text.webhooks.noneHint}>
      <Link to="/organizations" className={linkLook}>
        {text.organizations.choose}
      </Link>
    </Empty>
  );
  return (
    <>
      <Heading title={text.webhooks.title} className="mb-2" />
      <WebhookTabs />
      <Filters of={filters} isFound={isFound(pages)} />
      <TableList
        name="endpoints"
        caption={text.webhooks.title}
        {...{ columns, pages, readPage, empty }}
        keys={text.list.keys}
      />
    </>
  );
}

function Filters({ of, isFound: areFound }: { of: EndpointFilters; isFound: boolean }) {
  const navigate = useNavigate();
  const set = (change: EndpointFilters, replace = false) =>
    void navigate({ to: '/webhooks', search: changed(of, change), replace });
  return (
    <FilterBar
      columns="lg:grid-cols-[2fr_1fr_1fr]"
      isFiltered={Object.values(of).some(Boolean)}
      onClear={() => void navigate({ to: '/webhooks', search: {} })}
    >
      <Search
        placeholder={text.webhooks.search}
        value={of.q}
        isFound={areFound}
        onChange={(q) => set({ q }, Boolean(of.q))}
      />
      <Chosen
        label={text.webhooks.state}
        any={text.webhooks.anyState}
        value={of.state}
        of={states}
        onChange={(state) => set({ state })}
      />
      <OrganizationField value={of.organization} onChange={(organization) => set({ organization })} />
    </FilterBar>
  );
}

const columns: readonly ListColumn<Endpoint>[] = [
  {
    name: text.webhooks.endpoint,
    of: ({ id, url, description }) => (
      <Link
        data-row
        to="/webhooks/endpoints/$id"
        params={{ id }}
        title={url}
        className="block truncate rounded font-medium"
      >
        {url}
        {description && <span className="ml-2 font-normal text-soft text-xs">{description}</span>}
      </Link>
    ),
    csv: ({ url }) => url,
  },
  idColumn('wide'),
  {
    name: text.webhooks.state,
    of: (row) => (
      <span title={row.failure_count > 0 ? text.organizations.failures(row.failure_count) : undefined}>
        <Status of={stateOf(row)} />
      </span>
    ),
    csv: stateOf,
    width: 'w-32',
  },
  {
    name: text.webhooks.success,
    of: ({ activity }) => <SuccessRate of={activity} />,
    from: 'sm',
    width: 'w-36',
  },
  {
    name: text.webhooks.latency,
    of: ({ activity }) => <Latency of={activity} />,
    from: 'md',
    width: 'w-28',
  },
  { name: text.webhooks.inFlight, of: inFlightOf, from: 'xl', width: 'w-32' },
  organizationColumn('lg'),
];

function inFlightOf({ in_flight_limit: found, max_in_flight: most }: Endpoint): string {
  return found === null ? text.webhooks.unknownLimit(most) : text.webhooks.limitOf(found, most);
}
