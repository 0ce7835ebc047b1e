import type { components } from '@holdfast/sdk/generated/api.ts';
import type { ReactNode } from 'react';
import { text } from '../../strings.ts';
import { Chosen, FilterBar } from '../../ui/filterBar.tsx';
import { costColumn, createdColumn, idColumn } from '../../ui/listColumns.tsx';
import { useListKeys, usePages } from '../../ui/lists.tsx';
import { type ListColumn, TableList } from '../../ui/listTable.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/values.tsx';
import { type Batch, batchStatuses, endedOf, Progress } from './batch.tsx';

const words = text.batches;

type Page = components['schemas']['BatchPage'];

/** The batches of one organization. `link` leads to one of them, and has `data-row`. */
export function BatchList(props: {
  organizationId: string;
  status: string | undefined;
  onStatus: (status: string | undefined) => void;
  read: (query: Record<string, string | number | undefined>) => Promise<Page>;
  link: (batch: Batch, name: string) => ReactNode;
}) {
  const { organizationId, status, onStatus, read, link } = props;
  useListKeys();
  const readPage = (cursor: string | undefined) => read({ status, limit: 50, cursor });
  const pages = usePages(['batches', organizationId, status], readPage, { isLive: true });
  const empty =
    status === undefined ? (
      <Empty title={words.empty} hint={words.emptyHint} />
    ) : (
      <Empty title={words.none} hint={words.noneHint} />
    );
  return (
    <>
      <FilterBar
        columns="sm:grid-cols-[12rem_auto]"
        isFiltered={status !== undefined}
        onClear={() => onStatus(undefined)}
      >
        <Chosen
          label={text.list.status}
          any={text.list.anyStatus}
          value={status}
          of={batchStatuses}
          onChange={onStatus}
        />
      </FilterBar>
      <TableList
        name="batches"
        caption={words.title}
        columns={[nameOf(link), ...columns]}
        {...{ pages, readPage, empty }}
        keys={text.list.moveKeys}
      />
    </>
  );
}

const nameOf = (link: (batch: Batch, name: string) => ReactNode): ListColumn<Batch> => ({
  name: text.list.model,
  of: (batch) => link(batch, batch.model ?? words.noModel),
  csv: ({ model }) => model,
});

const columns: readonly ListColumn<Batch>[] = [
  idColumn('lg'),
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
  costColumn('sm'),
  createdColumn,
];
