import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { read, type Schemas } from '../api.ts';
import { Bulk } from '../features/executions/bulkDialog.tsx';
import { OrganizationField, organizationColumn } from '../features/organizations/organizations.tsx';
import { executionQuery, executionStatuses, type Filters, timesOf } from '../features/search/filters.ts';
import { Search } from '../features/search/searchField.tsx';
import { text } from '../strings.ts';
import { linkLook } from '../ui/button.tsx';
import { Chosen, changed, FilterBar, Typed, WrongTimes } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { costColumn, createdColumn, durationColumn, errorColumn, idColumn } from '../ui/listColumns.tsx';
import { isFound, useKeptFilters, useListKeys, usePages } from '../ui/lists.tsx';
import { type ListColumn, TableList } from '../ui/listTable.tsx';
import { Empty } from '../ui/states.tsx';
import { Ago, Status } from '../ui/values.tsx';

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
  const readPage = (cursor: string | undefined, signal?: AbortSignal) =>
    read<Page>('/executions', { ...executionQuery(filters), cursor }, signal);
  const pages = usePages(key, readPage, { isLive });
  const isPaused = (pages.data?.pages.length ?? 0) > 1;
  const turnLive = (isOn: boolean) => {
    setLive(isOn);
    if (isOn && isPaused) void client.resetQueries({ queryKey: key, exact: true });
  };
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <Heading title={text.nav.executions} />
        <div className="flex flex-wrap items-center gap-2">
          <Bulk action="rerun" filters={filters} />
          <Bulk action="cancel" filters={filters} />
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={isLive && !isPaused}
              onChange={(event) => turnLive(event.currentTarget.checked)}
            />
            {isLive && isPaused ? text.list.paused : text.list.live}
          </label>
        </div>
      </div>
      <FiltersOf filters={filters} isFound={isFound(pages)} />
      <WrongTimes of={timesOf(filters).wrong} />
      <TableList
        name="executions"
        caption={text.nav.executions}
        {...{ columns, pages, readPage }}
        empty={<NoRows filters={filters} />}
        keys={text.list.keys}
      />
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

const columns: readonly ListColumn<Execution>[] = [
  {
    name: text.list.model,
    of: ({ id, model, created_at: at }) => (
      <Link data-row to="/executions/$id" params={{ id }} className="block truncate rounded font-medium">
        {model}
        <span className="block font-normal text-soft text-xs sm:hidden">
          <Ago at={at} />
        </span>
      </Link>
    ),
    csv: ({ model }) => model,
  },
  idColumn('md'),
  {
    name: text.list.status,
    of: ({ status, error }) => (
      <>
        <Status of={status} />
        {error && (
          <span className="block truncate text-soft text-xs min-[1400px]:hidden" title={error.code}>
            {error.code}
          </span>
        )}
      </>
    ),
    csv: ({ status }) => status,
    width: 'w-40',
  },
  errorColumn('wide', 'w-44'),
  organizationColumn('xl'),
  durationColumn('xl'),
  costColumn('md'),
  createdColumn,
];
