import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { executionStatuses } from '../../features/search/filters.ts';
import { text } from '../../strings.ts';
import { Chosen, changed, FilterBar } from '../../ui/filterBar.tsx';
import { duration } from '../../ui/format.ts';
import { Heading } from '../../ui/heading.tsx';
import { List, More, useKeptFilters, useListKeys, usePages } from '../../ui/lists.tsx';
import { opensLink, rowLook } from '../../ui/row.ts';
import { Empty } from '../../ui/states.tsx';
import { Id, Money, Status, Time } from '../../ui/values.tsx';
import { read, type Schemas } from '../api.ts';
import { useModels } from '../models.ts';
import { words } from '../strings.ts';

export function Executions() {
  const filters = useSearch({ from: '/executions' });
  useListKeys();
  useKeptFilters('/executions', filters);
  const pages = usePages(
    ['executions', filters],
    (cursor) => read<Schemas['ExecutionPage']>('/executions', { ...filters, limit: 50, cursor }),
    { isLive: true },
  );
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
      <div className="overflow-x-auto rounded-lg border border-line bg-card">
        <List pages={pages} empty={empty}>
          {(rows) => <Rows rows={rows} />}
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

function Rows({ rows }: { rows: Schemas['Execution'][] }) {
  const head = 'px-3 py-2 font-medium sm:px-4';
  const wide = 'hidden sm:table-cell';
  return (
    <table className="w-full text-left">
      <caption className="sr-only">{words.nav.executions}</caption>
      <thead className="text-soft text-xs">
        <tr className="border-line border-b">
          <th className={head}>{text.list.execution}</th>
          <th className={head}>{text.list.status}</th>
          <th className={`${head} ${wide}`}>{text.list.created}</th>
          <th className={`${head} ${wide} text-right`}>{text.list.duration}</th>
          <th className={`${head} ${wide} text-right`}>{text.list.cost}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} {...opensLink} className={`border-line border-b last:border-0 ${rowLook}`}>
            <td className="px-3 py-2 sm:px-4">
              <Link data-row to="/executions/$id" params={{ id: row.id }} className="block">
                <span className="block font-medium">{row.model}</span>
                <span className="text-soft">
                  <Id of={row.id} />
                </span>
                <span className="block text-soft text-xs sm:hidden [&>time]:whitespace-normal">
                  <Time at={row.created_at} />
                </span>
              </Link>
            </td>
            <td className="px-3 py-2 sm:px-4">
              <Status of={row.status} />
            </td>
            <td className={`px-4 py-2 ${wide}`}>
              <Time at={row.created_at} />
            </td>
            <td className={`px-4 py-2 text-right whitespace-nowrap tabular-nums ${wide}`}>
              {row.completed_at ? duration(Date.parse(row.completed_at) - Date.parse(row.created_at)) : '–'}
            </td>
            <td className={`px-4 py-2 text-right ${wide}`}>
              <Money of={row.cost} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
