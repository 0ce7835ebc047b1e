import type { components } from '@holdfast/sdk/generated/api.ts';
import type { ReactNode } from 'react';
import { number } from '../../strings/locale.ts';
import { text } from '../../strings/shared.ts';
import { Chosen, FilterBar } from '../../ui/filterBar.tsx';
import { columnName, costColumn, createdColumn, idColumn } from '../../ui/listColumns.tsx';
import { useListKeys, usePages } from '../../ui/lists.tsx';
import { type ListColumn, TableList } from '../../ui/listTable.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/values.tsx';
import { type Batch, batchStatuses, endedOf, Progress } from './batch.tsx';

const words = text.batches;

type Page<Row> = Omit<components['schemas']['BatchPage'], 'data'> & { data: Row[] };

/** Batches that match filters, of which `children` set those but the status. `link` leads to a batch, and has `data-row`. */
export function BatchList<Row extends Batch>(props: {
  filters: { status?: string };
  onStatus: (status: string | undefined) => void;
  onClear: () => void;
  read: (query: Record<string, string | number | undefined>) => Promise<Page<Row>>;
  link: (batch: Row, name: string) => ReactNode;
  columns?: readonly ListColumn<Row>[];
  children?: ReactNode;
}) {
  const { filters, onStatus, onClear, read, link, columns = [], children } = props;
  const { status } = filters;
  const isFiltered = Object.values(filters).some(Boolean);
  useListKeys();
  const readPage = (cursor: string | undefined) => read({ status, limit: 50, cursor });
  const pages = usePages(['batches', filters], readPage, { isLive: true });
  const empty = isFiltered ? (
    <Empty title={words.none} hint={words.noneHint} />
  ) : (
    <Empty title={words.empty} hint={words.emptyHint} />
  );
  return (
    <>
      <FilterBar columns="sm:grid-cols-[12rem_16rem_auto]" isFiltered={isFiltered} onClear={onClear}>
        <Chosen
          label={text.list.status}
          any={text.list.anyStatus}
          value={status}
          of={batchStatuses}
          onChange={onStatus}
        />
        {children}
      </FilterBar>
      <TableList
        name="batches"
        caption={words.title}
        columns={[nameOf(link), ...columns, ...batchColumns]}
        {...{ pages, readPage, empty }}
        keys={text.list.moveKeys}
      />
    </>
  );
}

const nameOf = <Row extends Batch>(link: (batch: Row, name: string) => ReactNode): ListColumn<Row> => ({
  ...columnName(({ list }) => list.model),
  of: (batch) => link(batch, batch.model ?? words.noModel),
  csv: ({ model }) => model,
});

const batchColumns: readonly ListColumn<Batch>[] = [
  idColumn('wide'),
  {
    ...columnName(({ list }) => list.status),
    of: ({ status }) => <Status of={status} />,
    csv: ({ status }) => status,
    width: 'w-28',
  },
  {
    ...columnName(({ batches }) => batches.progress),
    of: (row) => <Progress of={row} />,
    csv: endedOf,
    order: (row) => (row.counts.total === 0 ? 0 : endedOf(row) / row.counts.total),
    width: 'w-28 xl:w-40',
  },
  {
    ...columnName(({ batches }) => batches.items),
    of: ({ counts }) => number(counts.total),
    csv: ({ counts }) => counts.total,
    order: ({ counts }) => counts.total,
    from: 'xl',
    width: 'w-24',
    isNumber: true,
  },
  costColumn('sm'),
  createdColumn,
];
