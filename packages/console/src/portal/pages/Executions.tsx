import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { executionStatuses } from '../../features/search/filters.ts';
import { text } from '../../strings.ts';
import { Chosen, changed, FilterBar } from '../../ui/filterBar.tsx';
import { duration } from '../../ui/format.ts';
import { Heading } from '../../ui/heading.tsx';
import { List, More, useKeptFilters, useListKeys, usePages } from '../../ui/lists.tsx';
import { type ListColumn, ListTable, ListTools, useColumns } from '../../ui/listTable.tsx';
import { Empty } from '../../ui/states.tsx';
import { Ago, Money, ShortId, Status } from '../../ui/values.tsx';
import { read, type Schemas } from '../api.ts';
import { useModels } from '../models.ts';
import { words } from '../strings.ts';

type Execution = Schemas['Execution'];

export function Executions() {
  const filters = useSearch({ from: '/executions' });
  useListKeys();
  useKeptFilters('/executions', filters);
  const readPage = (cursor: string | undefined) =>
    read<Schemas['ExecutionPage']>('/executions', { ...filters, limit: 50, cursor });
  const pages = usePages(['executions', filters], readPage, { isLive: true });
  const shown = useColumns('executions', columns);
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
      <ListTools columns={shown} readPage={readPage} />
      <div className="overflow-hidden rounded-lg border border-line bg-card">
        <List pages={pages} empty={empty}>
          {(rows) => (
            <ListTable caption={words.nav.executions} columns={shown} rows={rows} keyOf={({ id }) => id} />
          )}
        </List>
      </div>
      <More pages={pages} keys={text.list.moveKeys} />
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
      columns="sm:grid-cols-[12rem_12rem_auto]"
      isFiltered={Object.keys(filters).length > 0}
      onClear={() => void navigate({ search: {}, replace: true })}
    >
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

const lengthOf = ({ created_at: from, completed_at: to }: Execution) =>
  to === null ? null : Date.parse(to) - Date.parse(from);

const columns: readonly ListColumn<Execution>[] = [
  {
    name: text.list.model,
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
  {
    name: text.list.id,
    of: ({ id }) => <ShortId of={id} />,
    csv: ({ id }) => id,
    from: 'md',
    width: 'w-48',
  },
  {
    name: text.list.status,
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
  {
    name: text.list.error,
    of: ({ error }) => <span className="text-soft text-xs">{error?.code}</span>,
    csv: ({ error }) => error?.code,
    from: 'lg',
    width: 'w-48',
  },
  {
    name: text.list.duration,
    of: (row) => duration(lengthOf(row)),
    csv: lengthOf,
    order: (row) => lengthOf(row) ?? -1,
    from: 'lg',
    width: 'w-24',
    isNumber: true,
  },
  {
    name: text.list.cost,
    of: ({ cost }) => <Money of={cost} />,
    csv: ({ cost }) => cost,
    order: ({ cost }) => Number(cost ?? -1),
    from: 'sm',
    width: 'w-28',
    isNumber: true,
  },
  {
    name: text.list.created,
    of: ({ created_at: at }) => <Ago at={at} />,
    csv: ({ created_at: at }) => at,
    order: ({ created_at: at }) => Date.parse(at),
    from: 'sm',
    width: 'w-28',
    isNumber: true,
  },
];
