import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { NewOrganization } from '../features/organizations/newOrganization.tsx';
import { type OrganizationFilters } from '../features/search/filters.ts';
import { Search } from '../features/search/searchField.tsx';
import { text } from '../strings.ts';
import { Sparkline } from '../ui/charts.tsx';
import { Choice, changed, FilterBar } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { isFound, List, More, useKeptFilters, useListKeys, usePages } from '../ui/lists.tsx';
import { opensLink, rowLook } from '../ui/row.ts';
import { Empty } from '../ui/states.tsx';
import { Id, Money, Time } from '../ui/values.tsx';

const organizationSorts = ['newest', 'name', 'balance', 'spend'] as const;

export function Organizations() {
  const filters = useSearch({ from: '/organizations' });
  const navigate = useNavigate();
  const { q, sort, low } = filters;
  const query = { limit: 100, text: q, sort, runs_low: low && 'true', include: 'balance,spend' };
  const pages = usePages(['organizations', filters], (cursor, signal) =>
    read<Schemas['OrganizationPage']>('/organizations', { ...query, cursor }, signal),
  );
  useListKeys();
  useKeptFilters('/organizations', filters);
  const go = (change: OrganizationFilters) =>
    void navigate({ to: '/organizations', search: changed(filters, change) });
  const empty =
    q || low ? (
      <Empty title={text.organizations.noMatch} hint={text.organizations.noMatchHint} />
    ) : (
      <Empty title={text.organizations.empty} hint={text.organizations.emptyHint} />
    );
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <Heading title={text.nav.organizations} />
        <NewOrganization />
      </div>
      <FilterBar
        columns="lg:grid-cols-[2fr_1fr_1fr_auto]"
        isFiltered={Boolean(q || low)}
        onClear={() => void navigate({ to: '/organizations', search: {} })}
      >
        <Search
          placeholder={text.organizations.search}
          value={q}
          isFound={isFound(pages)}
          onChange={(typed) =>
            void navigate({
              to: '/organizations',
              search: changed(filters, { q: typed }),
              replace: Boolean(q),
            })
          }
        />
        <Choice
          label={text.organizations.sort}
          value={organizationSorts.find((one) => one === sort) ?? 'newest'}
          of={organizationSorts}
          names={text.organizations.sorts}
          onChange={(chosen) => go({ sort: chosen })}
        />
        <Choice
          label={text.organizations.which}
          value={low ? 'low' : 'all'}
          of={['all', 'low']}
          names={{ all: text.organizations.every, low: text.organizations.runsLow }}
          onChange={(chosen) => go({ low: chosen === 'low' ? 'yes' : '' })}
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

function Row({ of }: { of: Schemas['ListedOrganization'] }) {
  const name = 'text-soft text-xs';
  return (
    <li
      {...opensLink}
      className={`grid grid-cols-2 items-center gap-x-4 gap-y-1 px-4 py-2 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1.5fr)_11rem] ${rowLook}`}
    >
      <Link
        data-row
        to="/organizations/$id"
        params={{ id: of.id }}
        className="col-span-2 min-w-0 rounded lg:col-span-1"
      >
        <span className="block font-medium">
          {of.name}
          {of.test_of && <span className="ml-2 text-busy text-xs">{text.organizations.test}</span>}
          {of.runs_low && (
            <span className="ml-2 text-bad text-xs" title={text.organizations.runsLowAbout}>
              {text.organizations.runsLow}
            </span>
          )}
        </span>
        <Id of={of.id} />
      </Link>
      <span className="min-w-0 break-words">
        <span className={`block ${name}`}>{text.organizations.available}</span>
        <Money of={of.balance?.available} />
      </span>
      <span className="min-w-0">
        <span className={`block ${name}`}>{text.organizations.spend}</span>
        <span className="flex flex-wrap items-end gap-x-3">
          <Money of={of.spend?.last_30_days} />
          <Sparkline amounts={of.spend?.days ?? []} />
        </span>
      </span>
      <span className="text-soft lg:text-right">
        <Time at={of.created_at} />
      </span>
    </li>
  );
}
