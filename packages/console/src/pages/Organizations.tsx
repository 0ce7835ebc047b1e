import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { Search } from '../features/search/searchField.tsx';
import { text } from '../strings.ts';
import { changed, FilterBar } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { isFound, List, More, useKeptFilters, useListKeys, usePages } from '../ui/lists.tsx';
import { opensLink, rowLook } from '../ui/row.ts';
import { Empty } from '../ui/states.tsx';
import { Id, Time } from '../ui/values.tsx';

export function Organizations() {
  const filters = useSearch({ from: '/organizations' });
  const navigate = useNavigate();
  const pages = usePages(['organizations', filters], (cursor, signal) =>
    read<Schemas['OrganizationPage']>('/organizations', { limit: 100, text: filters.q, cursor }, signal),
  );
  useListKeys();
  useKeptFilters('/organizations', filters);
  const empty = filters.q ? (
    <Empty title={text.organizations.noMatch} hint={text.organizations.noMatchHint} />
  ) : (
    <Empty title={text.organizations.empty} hint={text.organizations.emptyHint} />
  );
  return (
    <>
      <Heading title={text.nav.organizations} className="mb-4" />
      <FilterBar
        columns="lg:grid-cols-[2fr_1fr_1fr]"
        isFiltered={Boolean(filters.q)}
        onClear={() => void navigate({ to: '/organizations', search: {} })}
      >
        <Search
          placeholder={text.organizations.search}
          value={filters.q}
          isFound={isFound(pages)}
          onChange={(q) =>
            void navigate({
              to: '/organizations',
              search: changed(filters, { q }),
              replace: Boolean(filters.q),
            })
          }
        />
      </FilterBar>
      <div className="rounded-lg border border-line bg-card">
        <List pages={pages} empty={empty}>
          {(rows) => (
            <ul className="divide-y divide-line">
              {rows.map((row) => (
                <Row key={row.id} of={row} />
              ))}
            </ul>
          )}
        </List>
      </div>
      <More pages={pages} keys={text.list.keys} />
    </>
  );
}

function Row({ of }: { of: Schemas['Organization'] }) {
  return (
    <li {...opensLink} className={`flex flex-wrap items-center justify-between gap-2 px-4 py-3 ${rowLook}`}>
      <Link data-row to="/organizations/$id" params={{ id: of.id }} className="min-w-0 rounded">
        <span className="block font-medium">
          {of.name}
          {of.test_of && <span className="ml-2 text-busy text-xs">{text.organizations.test}</span>}
        </span>
        <Id of={of.id} />
      </Link>
      <span className="text-soft">
        <Time at={of.created_at} />
      </span>
    </li>
  );
}
