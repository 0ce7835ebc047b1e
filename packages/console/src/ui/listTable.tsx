import { type ReactNode, useState } from 'react';
import { text } from '../strings/shared.ts';
import { Button } from './button.tsx';
import { type Cell, csvOf, download } from './csv.ts';
import { List, More, type Pages } from './lists.tsx';
import { opensLink, rowLook } from './row.ts';
import { SortableHead, useSorted } from './sorting.tsx';
import { Problem } from './states.tsx';
import { storage } from './storage.ts';

const shownFrom = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
  wide: 'hidden min-[1400px]:table-cell',
} as const;

export type ListColumn<Row> = {
  name: string;
  /** What programs know it by, in a download and in the browser's memory; without one, its name. */
  key?: string;
  of: (row: Row) => ReactNode;
  /** What a download has; a column without one is not in it. */
  csv?: (row: Row) => Cell;
  /** What a click on the column's name sorts the rows shown by, the largest first. */
  order?: (row: Row) => number;
  /** The narrowest window that has room for it; without one, it is always there. */
  from?: keyof typeof shownFrom;
  /** A class of its width; without one, it shares what is left. */
  width?: string;
  isNumber?: boolean;
};

/** The columns of a list that someone has not hidden, remembered in this browser by the list's name. */
function useColumns<Row>(list: string, all: readonly ListColumn<Row>[]) {
  const place = `columns hidden: ${list}`;
  const [hidden, setHidden] = useState(() => (storage()?.getItem(place) ?? '').split('\n'));
  return {
    list,
    all,
    hidden,
    shown: all.filter(({ name, key = name }) => !hidden.includes(key)),
    toggle(key: string) {
      const next = hidden.includes(key) ? hidden.filter((one) => one !== key) : [...hidden, key];
      storage()?.setItem(place, next.join('\n'));
      setHidden(next);
    },
  };
}

type Columns<Row> = ReturnType<typeof useColumns<Row>>;
type Page<Row> = { data: Row[]; next_cursor: string | null };
type ReadPage<Row> = (cursor: string | undefined) => Promise<Page<Row>>;

/**
 * A list with its tools, the rows in each of its states, and a button for older ones. `isShort`: without the tools, within a
 * card of another.
 */
export function TableList<Row extends { id: string }>(props: {
  /** Under which this browser remembers the columns that are hidden, and what a download is called. */
  name: string;
  caption: string;
  columns: readonly ListColumn<Row>[];
  pages: Pages<Page<Row>>;
  readPage: ReadPage<Row>;
  empty: ReactNode;
  about?: string;
  keys?: string;
  isShort?: boolean;
}) {
  const { name, caption, columns, pages, readPage, empty, about, keys, isShort = false } = props;
  const shown = useColumns(name, columns);
  return (
    <>
      {!isShort && (
        <ListTools columns={shown} readPage={readPage}>
          {about}
        </ListTools>
      )}
      <div className={isShort ? '' : 'overflow-hidden rounded-lg border border-line bg-card'}>
        <List pages={pages} empty={empty}>
          {(rows) => <ListTable caption={caption} columns={shown} rows={rows} />}
        </List>
      </div>
      <More pages={pages} keys={keys} />
    </>
  );
}

/** Rows of one line, each of which opens what its link with `data-row` leads to. The first column has that link. */
function ListTable<Row extends { id: string }>(props: {
  caption: string;
  columns: Columns<Row>;
  rows: readonly Row[];
}) {
  const { caption, columns, rows: given } = props;
  const { rows, ...sorting } = useSorted(given, columns.shown);
  const look = ({ from, isNumber }: ListColumn<Row>) =>
    `px-3 sm:first:pl-4 sm:last:pr-4 ${from ? shownFrom[from] : ''} ${isNumber ? 'text-right tabular-nums' : 'text-left'}`;
  return (
    <table className="w-full table-fixed border-collapse">
      <caption className="sr-only">{caption}</caption>
      <thead className="border-line border-b text-soft text-xs">
        <tr>
          {columns.shown.map((column) => (
            <SortableHead
              key={column.name}
              column={column}
              {...sorting}
              className={`py-2 font-medium ${look(column)} ${column.width ?? ''}`}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} {...opensLink} className={`h-10 border-line border-b last:border-0 ${rowLook}`}>
            {columns.shown.map((column) => (
              <td key={column.name} className={`truncate py-1 ${look(column)}`}>
                {column.of(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What there is to know about a list, which columns are shown, and the rows that the filters match as a file. */
function ListTools<Row>(props: { columns: Columns<Row>; readPage: ReadPage<Row>; children?: ReactNode }) {
  const { columns, readPage, children } = props;
  return (
    <div className="mb-1 flex items-center justify-end gap-1 text-xs">
      <p className="mr-auto text-soft">{children}</p>
      <Chooser columns={columns} />
      <Download columns={columns} readPage={readPage} />
    </div>
  );
}

function Chooser<Row>({ columns }: { columns: Columns<Row> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div
      className="relative"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false);
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setOpen(false);
      }}
    >
      <Button tone="quiet" isExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {text.list.columns}
      </Button>
      {isOpen && (
        // Keeps the focus, and so itself, where someone clicks beside a box.
        <fieldset
          tabIndex={-1}
          className="absolute right-0 z-10 mt-1 w-48 space-y-1.5 rounded-md border border-line bg-card p-3 text-sm shadow-lg outline-none"
        >
          <legend className="sr-only">{text.list.columns}</legend>
          {columns.all.slice(1).map(({ name, key = name }) => (
            <label key={key} className="flex items-center gap-2">
              <input
                type="checkbox"
                checked={!columns.hidden.includes(key)}
                onChange={() => columns.toggle(key)}
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}

/** A browser holds this many rows with ease; more are for the API. */
const maxDownloaded = 20_000;

function Download<Row>({ columns, readPage }: { columns: Columns<Row>; readPage: ReadPage<Row> }) {
  const [state, setState] = useState<{ count: number } | { error: unknown } | null>(null);
  const isBusy = state !== null && 'count' in state;
  const run = async () => {
    const rows: Row[] = [];
    try {
      let cursor: string | null | undefined;
      do {
        setState({ count: rows.length });
        const page = await readPage(cursor ?? undefined);
        rows.push(...page.data);
        cursor = page.next_cursor;
      } while (cursor && rows.length < maxDownloaded);
      download(`${columns.list}.csv`, csvOf(columns.all, rows));
      setState(null);
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <div>
      <Button
        tone="quiet"
        disabled={isBusy}
        title={text.list.csvAbout(maxDownloaded)}
        onClick={() => void run()}
      >
        {isBusy ? text.list.csvBusy(state.count) : text.list.csv}
      </Button>
      {state !== null && 'error' in state && <Problem error={state.error} />}
    </div>
  );
}
