import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { executionStatuses, metadataOf, timesOf } from '../../features/search/filters.ts';
import { pageOfId } from '../../features/search/search.ts';
import { text } from '../../strings/shared.ts';
import { Field, inputLook } from '../../ui/field.tsx';
import { Chosen, changed, FilterBar, Typed, WrongTimes } from '../../ui/filterBar.tsx';
import { Heading } from '../../ui/heading.tsx';
import {
  columnName,
  costColumn,
  createdColumn,
  durationColumn,
  errorColumn,
  idColumn,
} from '../../ui/listColumns.tsx';
import { useKeptFilters, useListKeys, usePages } from '../../ui/lists.tsx';
import { type ListColumn, TableList } from '../../ui/listTable.tsx';
import { Empty } from '../../ui/states.tsx';
import { Ago, Status } from '../../ui/values.tsx';
import { read, type Schemas } from '../api.ts';
import { useModels } from '../models.ts';
import { words } from '../strings.ts';

type Execution = Schemas['Execution'];

export function Executions() {
  const filters = useSearch({ from: '/executions' });
  useListKeys();
  useKeptFilters('/executions', filters);
  const { status, model, metadata } = filters;
  const { from: createdAfter, to: createdBefore, wrong } = timesOf(filters);
  const member = metadataOf(metadata);
  const query = {
    status,
    model,
    ...member,
    created_after: createdAfter,
    created_before: createdBefore,
    limit: 50,
  };
  const readPage = (cursor: string | undefined) =>
    read<Schemas['ExecutionPage']>('/executions', { ...query, cursor });
  const pages = usePages(['executions', filters], readPage, { isLive: true });
  const empty =
    Object.keys(filters).length > 0 ? (
      <Empty title={words.executions.none} hint={words.executions.noneHint} />
    ) : (
      <Empty title={words.executions.empty} hint={words.executions.emptyHint} />
    );
  return (
    <>
      <Heading title={words.nav.executions} className="mb-4" />
      <Filters />
      <WrongTimes of={wrong} />
      {metadata && !member && (
        <p role="alert" className="mb-4 text-bad">
          {words.executions.wrongMetadata(metadata)}
        </p>
      )}
      <TableList
        name="executions"
        caption={words.nav.executions}
        {...{ columns, pages, readPage, empty }}
        keys={text.list.moveKeys}
      />
    </>
  );
}

function Filters() {
  const filters = useSearch({ from: '/executions' });
  const navigate = useNavigate({ from: '/executions' });
  const models = useModels();
  const set = (change: typeof filters) => void navigate({ search: changed(filters, change), replace: true });
  return (
    <FilterBar
      columns="lg:grid-cols-[1fr_1fr_13rem_13rem]"
      isFiltered={Object.keys(filters).length > 0}
      onClear={() => void navigate({ search: {}, replace: true })}
    >
      <FindById />
      <div className="col-span-2 sm:col-span-1">
        <Typed
          label={words.executions.metadata}
          type="search"
          placeholder={words.executions.metadataHint}
          value={filters.metadata}
          onChange={(metadata) => set({ metadata })}
        />
      </div>
      <Typed
        label={text.list.from}
        type="datetime-local"
        value={filters.from}
        onChange={(from) => set({ from })}
      />
      <Typed label={text.list.to} type="datetime-local" value={filters.to} onChange={(to) => set({ to })} />
      <Chosen
        label={text.list.status}
        any={text.list.anyStatus}
        value={filters.status}
        of={executionStatuses}
        onChange={(status) => set({ status })}
      />
      <Chosen
        label={text.list.model}
        any={text.list.anyModel}
        value={filters.model}
        of={(models.data?.data ?? []).map(({ slug }) => slug)}
        onChange={(model) => set({ model })}
      />
    </FilterBar>
  );
}

/** A whole id, pasted or typed, opens its page. */
function FindById() {
  const navigate = useNavigate();
  const open = (typed: string) => {
    const page = pageOfId(typed);
    if (page?.to === '/executions/$id') void navigate({ to: page.to, params: { id: page.id } });
  };
  return (
    <div className="col-span-2 sm:col-span-1">
      <Field label={words.executions.find}>
        <input
          type="search"
          placeholder={words.executions.findHint}
          onChange={({ currentTarget }) => open(currentTarget.value)}
          className={inputLook}
        />
      </Field>
    </div>
  );
}

const columns: readonly ListColumn<Execution>[] = [
  {
    ...columnName(({ list }) => list.model),
    of: ({ id, model, created_at: at }) => (
      <Link data-row to="/executions/$id" params={{ id }} className="block truncate font-medium">
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
    ...columnName(({ list }) => list.status),
    of: ({ status, error }) => (
      <>
        <Status of={status} />
        {error && (
          <span className="block truncate text-soft text-xs lg:hidden" title={error.code}>
            {error.code}
          </span>
        )}
      </>
    ),
    csv: ({ status }) => status,
    width: 'w-36',
  },
  errorColumn('lg', 'w-48'),
  durationColumn('lg'),
  costColumn('sm'),
  createdColumn,
];
