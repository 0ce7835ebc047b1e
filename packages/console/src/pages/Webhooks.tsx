import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { OrganizationField, OrganizationLink } from '../features/organizations/organizations.tsx';
import type { EndpointFilters } from '../features/search/filters.ts';
import { Search } from '../features/search/searchField.tsx';
import { Latency, SuccessRate, WebhookTabs } from '../features/webhooks/webhookParts.tsx';
import { stateOf } from '../features/webhooks/webhooks.ts';
import { text } from '../strings.ts';
import { linkLook } from '../ui/button.tsx';
import { Chosen, changed, FilterBar } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { isFound, List, More, useKeptFilters, useListKeys, usePages } from '../ui/lists.tsx';
import { opensLink, rowLook } from '../ui/row.ts';
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
  const pages = usePages(
    ['webhook endpoints', filters],
    (cursor, signal) => read<Page>('/webhooks/endpoints', { ...query, cursor }, signal),
    { isLive: true },
  );
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
      <div className="overflow-hidden rounded-lg border border-line bg-card">
        <List pages={pages} empty={empty}>
          {(rows) => <Rows rows={rows} />}
        </List>
      </div>
      <More pages={pages} keys={text.list.keys} />
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

const head = 'px-4 py-2 text-left font-medium text-soft text-xs';
const cell = 'px-4 py-2.5 align-top';

function Rows({ rows }: { rows: Endpoint[] }) {
  return (
    <table className="w-full table-fixed md:table-auto">
      <thead className="border-line border-b">
        <tr>
          <th scope="col" className={`${head} md:w-2/5`}>
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
          <Row key={row.id} of={row} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ of }: { of: Endpoint }) {
  return (
    <tr {...opensLink} className={`border-line border-b last:border-0 ${rowLook}`}>
      <td className={`${cell} min-w-0`}>
        <Link data-row to="/webhooks/endpoints/$id" params={{ id: of.id }} className="block rounded">
          <span title={of.url} className="line-clamp-2 break-all font-medium">
            {of.url}
          </span>
          {of.description && (
            <span className="line-clamp-1 break-all text-soft text-xs">{of.description}</span>
          )}
        </Link>
      </td>
      <td className={cell}>
        <Status of={stateOf(of)} />
        {of.failure_count > 0 && (
          <span className="block text-bad text-xs">{text.organizations.failures(of.failure_count)}</span>
        )}
      </td>
      <td className={`${cell} hidden sm:table-cell`}>
        <SuccessRate of={of.activity} />
      </td>
      <td className={`${cell} hidden md:table-cell`}>
        <Latency of={of.activity} />
      </td>
      <td className={`${cell} hidden whitespace-nowrap tabular-nums xl:table-cell`}>{inFlightOf(of)}</td>
      <td className={`${cell} hidden lg:table-cell`}>
        <OrganizationLink id={of.organization_id} />
      </td>
    </tr>
  );
}

const inFlightOf = ({ in_flight_limit: found, max_in_flight: most }: Endpoint) =>
  found === null ? text.webhooks.unknownLimit(most) : text.webhooks.limitOf(found, most);
