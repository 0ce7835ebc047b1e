import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type Batch, batchStatuses, endedOf, Progress } from '../../features/batches/batch.tsx';
import { text } from '../../strings.ts';
import { Chosen, changed, FilterBar } from '../../ui/filterBar.tsx';
import { Heading } from '../../ui/heading.tsx';
import { List, More, useKeptFilters, useListKeys, usePages } from '../../ui/lists.tsx';
import { type ListColumn, ListTable, ListTools, useColumns } from '../../ui/listTable.tsx';
import { Empty } from '../../ui/states.tsx';
import { Ago, Money, ShortId, Status } from '../../ui/values.tsx';
import { read, type Schemas } from '../api.ts';

const words = text.batches;

export function Batches() {
  const filters = useSearch({ from: '/batches' });
  const navigate = useNavigate({ from: '/batches' });
  useListKeys();
  useKeptFilters('/batches', filters);
  const readPage = (cursor: string | undefined) =>
    read<Schemas['BatchPage']>('/batches', { ...filters, limit: 50, cursor });
  const pages = usePages(['batches', filters], readPage, { isLive: true });
  const shown = useColumns('batches', columns);
  const empty =
    filters.status === undefined ? (
      <Empty title={words.empty} hint={words.emptyHint} />
    ) : (
      <Empty title={words.none} hint={words.noneHint} />
    );
  return (
    <>
      <Heading title={words.title} className="mb-4" />
      <FilterBar
        columns="sm:grid-cols-[12rem_auto]"
        isFiltered={filters.status !== undefined}
        onClear={() => void navigate({ search: {}, replace: true })}
      >
        <Chosen
          label={text.list.status}
          any={text.list.anyStatus}
          value={filters.status}
          of={batchStatuses}
          onChange={(status) => void navigate({ search: changed(filters, { status }), replace: true })}
        />
      </FilterBar>
      <ListTools columns={shown} readPage={readPage} />
      <div className="overflow-hidden rounded-lg border border-line bg-card">
        <List pages={pages} empty={empty}>
          {(rows) => <ListTable caption={words.title} columns={shown} rows={rows} keyOf={({ id }) => id} />}
        </List>
      </div>
      <More pages={pages} keys={text.list.moveKeys} />
    </>
  );
}

const columns: readonly ListColumn<Batch>[] = [
  {
    name: text.list.model,
    of: ({ id, model }) => (
      <Link data-row to="/batches/$id" params={{ id }} className="block truncate font-medium">
        {model ?? words.noModel}
      </Link>
    ),
    csv: ({ model }) => model,
  },
  {
    name: text.list.id,
    of: ({ id }) => <ShortId of={id} />,
    csv: ({ id }) => id,
    from: 'lg',
    width: 'w-48',
  },
  {
    name: text.list.status,
    of: ({ status }) => <Status of={status} />,
    csv: ({ status }) => status,
    width: 'w-28',
  },
  {
    name: words.progress,
    of: (row) => <Progress of={row} />,
    csv: endedOf,
    order: (row) => (row.counts.total === 0 ? 0 : endedOf(row) / row.counts.total),
    width: 'w-28 sm:w-40',
  },
  {
    name: words.items,
    of: ({ counts }) => counts.total.toLocaleString(),
    csv: ({ counts }) => counts.total,
    order: ({ counts }) => counts.total,
    from: 'sm',
    width: 'w-28',
    isNumber: true,
  },
  {
    name: text.list.cost,
    of: ({ cost }) => <Money of={cost} />,
    csv: ({ cost }) => cost,
    order: ({ cost }) => Number(cost),
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
