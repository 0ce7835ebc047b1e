import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { read, type Schemas } from '../api.ts';
import { OrganizationField, OrganizationLink } from '../features/organizations/organizations.tsx';
import { executionQuery, executionStatuses, type Filters, timesOf } from '../features/search/filters.ts';
import { Search } from '../features/search/searchField.tsx';
import { text } from '../strings.ts';
import { linkLook } from '../ui/button.tsx';
import { Chosen, changed, FilterBar, Typed } from '../ui/filterBar.tsx';
import { duration } from '../ui/format.ts';
import { Heading } from '../ui/heading.tsx';
import { isFound, List, More, useKeptFilters, useListKeys, usePages } from '../ui/lists.tsx';
import { opensLink, rowLook } from '../ui/row.ts';
import { Empty } from '../ui/states.tsx';
import { Id, Money, Status, Time, Words } from '../ui/values.tsx';

type Page = Schemas['AnyExecutionPage'];
type Execution = Schemas['AnyExecution'];

const statuses = [...executionStatuses, 'FAILED,EXPIRED'];

export function Executions() {
  const filters = useSearch({ from: '/executions' });
  const [isLive, setLive] = useState(true);
  useListKeys();
  useKeptFilters('/executions', filters);
  const key = ['executions', filters];
  const client = useQueryClient();
  const pages = usePages(
    key,
    (cursor, signal) => read<Page>('/executions', { ...executionQuery(filters), cursor }, signal),
    { isLive },
  );
  const isPaused = (pages.data?.pages.length ?? 0) > 1;
  const turnLive = (isOn: boolean) => {
    setLive(isOn);
    if (isOn && isPaused) void client.resetQueries({ queryKey: key, exact: true });
  };
  return (
    <>
      <div className="mb-4 flex items-center justify-between gap-3">
        <Heading title={text.nav.executions} />
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={isLive && !isPaused}
            onChange={(event) => turnLive(event.currentTarget.checked)}
          />
          {isLive && isPaused ? text.list.paused : text.list.live}
        </label>
      </div>
      <FiltersOf filters={filters} isFound={isFound(pages)} />
      {timesOf(filters).wrong.map((given) => (
        <p key={given} role="alert" className="mb-4 text-bad">
          {text.list.notATime(given)}
        </p>
      ))}
      <div className="overflow-hidden rounded-lg border border-line bg-card">
        <List pages={pages} empty={<NoRows filters={filters} />}>
          {(rows) => <Rows rows={rows} />}
        </List>
      </div>
      <More pages={pages} keys={text.list.keys} />
    </>
  );
}

function NoRows({ filters }: { filters: Filters }) {
  const isFiltered = Object.values(filters).some(Boolean);
  return isFiltered ? (
    <Empty title={text.list.none} hint={text.list.noneHint} />
  ) : (
    <Empty title={text.list.empty} hint={text.list.emptyHint}>
      <Link to="/playground" className={linkLook}>
        {text.playground.open}
      </Link>
    </Empty>
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

function FiltersOf({ filters, isFound: areFound }: { filters: Filters; isFound: boolean }) {
  const navigate = useNavigate();
  const catalogue = useCatalogue();
  const set = (change: Filters, replace = false) =>
    void navigate({ to: '/executions', search: changed(filters, change), replace });
  return (
    <FilterBar
      columns="lg:grid-cols-[2fr_1fr_1fr_1fr]"
      isFiltered={Object.values(filters).some(Boolean)}
      onClear={() => void navigate({ to: '/executions', search: {} })}
    >
      <Search
        placeholder={text.list.search}
        value={filters.q}
        isFound={areFound}
        onChange={(q) => set({ q }, Boolean(filters.q))}
      />
      <Chosen
        label={text.list.status}
        any={text.list.anyStatus}
        value={filters.status}
        of={statuses}
        onChange={(status) => set({ status })}
      />
      <Chosen
        label={text.list.model}
        any={text.list.anyModel}
        value={filters.model}
        of={catalogue.models}
        onChange={(model) => set({ model })}
      />
      <Chosen
        label={text.list.provider}
        any={text.list.anyProvider}
        value={filters.provider}
        of={catalogue.providers}
        onChange={(provider) => set({ provider })}
      />
      <MoreFilters filters={filters} onChange={set} />
    </FilterBar>
  );
}

function MoreFilters({ filters, onChange }: { filters: Filters; onChange: (change: Filters) => void }) {
  return (
    <details
      className="col-span-2 lg:col-span-4"
      open={Boolean(filters.organization ?? filters.error ?? filters.from ?? filters.to)}
    >
      <summary className="cursor-pointer text-soft">{`${text.list.organization}, ${text.list.error}, ${text.list.created}`}</summary>
      <div className="mt-2 grid grid-cols-2 gap-2 lg:grid-cols-4">
        <OrganizationField
          value={filters.organization}
          onChange={(organization) => onChange({ organization })}
        />
        <Typed
          label={text.list.error}
          placeholder={text.list.errorHint}
          value={filters.error}
          onChange={(error) => onChange({ error })}
        />
        <Typed
          label={text.list.from}
          type="datetime-local"
          value={filters.from}
          onChange={(from) => onChange({ from })}
        />
        <Typed
          label={text.list.to}
          type="datetime-local"
          value={filters.to}
          onChange={(to) => onChange({ to })}
        />
      </div>
    </details>
  );
}

const head = 'px-3 py-2 text-left font-medium text-soft text-xs sm:px-4';
const cell = 'px-3 py-2.5 align-middle sm:px-4';

function Rows({ rows }: { rows: Execution[] }) {
  return (
    <table className="w-full table-fixed border-collapse">
      <thead className="border-line border-b">
        <tr>
          <th className={`${head} w-30 sm:w-36`}>{text.list.status}</th>
          <th className={head}>{text.list.execution}</th>
          <th className={`${head} hidden w-40 xl:table-cell`}>{text.list.organization}</th>
          <th className={`${head} hidden w-24 text-right! xl:table-cell`}>{text.list.duration}</th>
          <th className={`${head} hidden w-36 text-right! md:table-cell xl:w-48`}>{text.list.cost}</th>
          <th className={`${head} hidden w-56 sm:table-cell`}>{text.list.created}</th>
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

function Row({ of }: { of: Execution }) {
  return (
    <tr {...opensLink} className={`border-line border-b last:border-0 ${rowLook}`}>
      <td className={cell}>
        <Status of={of.status} />
        {of.error && (
          <span className="block text-soft text-xs wrap-anywhere">
            <Words of={of.error.code} />
          </span>
        )}
      </td>
      <td className={`${cell} min-w-0`}>
        <Link data-row to="/executions/$id" params={{ id: of.id }} className="block min-w-0 rounded">
          <span className="block truncate font-medium">{of.model}</span>
          <Id of={of.id} />
          <span className="block text-soft text-xs sm:hidden [&>time]:whitespace-normal">
            <Time at={of.created_at} />
          </span>
        </Link>
      </td>
      <td className={`${cell} hidden xl:table-cell`}>
        <OrganizationLink id={of.organization_id} />
      </td>
      <td className={`${cell} hidden whitespace-nowrap text-right tabular-nums xl:table-cell`}>
        {duration(lengthOf(of))}
      </td>
      <td className={`${cell} hidden text-right md:table-cell`}>
        <Money of={of.cost} />
      </td>
      <td className={`${cell} hidden sm:table-cell`}>
        <Time at={of.created_at} />
      </td>
    </tr>
  );
}

function lengthOf({ created_at: from, completed_at: to }: Execution): number | null {
  return to === null ? null : Date.parse(to) - Date.parse(from);
}
