import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { Decision } from '../features/money/reviews.tsx';
import { OrganizationLink } from '../features/organizations/organizations.tsx';
import { text } from '../strings.ts';
import { brief } from '../ui/amounts.ts';
import { Chosen, FilterBar } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { List, More, usePages } from '../ui/lists.tsx';
import { Empty } from '../ui/states.tsx';
import { Facts, Id, Money, Time } from '../ui/values.tsx';

type Review = Schemas['Review'];

/** Costs above ten times their hold: what was charged, what was reported, and the decision. */
export function Reviews() {
  const { state } = useSearch({ from: '/reviews' });
  const navigate = useNavigate({ from: '/reviews' });
  const pages = usePages(['reviews', state], (cursor) =>
    read<Schemas['ReviewPage']>('/reviews', { limit: 50, cursor, state }),
  );
  const choose = (chosen: string) => void navigate({ search: chosen ? { state: chosen } : {} });
  const isFiltered = state !== undefined;
  return (
    <>
      <Heading title={text.reviews.title} />
      <p className="mt-1 mb-4 max-w-3xl text-soft">{text.reviews.about}</p>
      <FilterBar columns="sm:grid-cols-4" isFiltered={isFiltered} onClear={() => choose('')}>
        <Chosen
          label={text.reviews.state}
          any={text.reviews.any}
          value={state}
          of={Object.keys(text.reviews.states)}
          onChange={choose}
        />
      </FilterBar>
      <div className="rounded-lg border border-line bg-card">
        <List
          pages={pages}
          empty={
            isFiltered ? (
              <Empty title={text.reviews.none} />
            ) : (
              <Empty title={text.reviews.empty} hint={text.reviews.emptyHint} />
            )
          }
        >
          {(rows) => (
            <ul className="divide-y divide-line">
              {rows.map((row) => (
                <Row key={row.execution_id} of={row} />
              ))}
            </ul>
          )}
        </List>
      </div>
      <More pages={pages} />
    </>
  );
}

function Row({ of }: { of: Review }) {
  return (
    <li className="grid gap-x-4 gap-y-3 px-4 py-3 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_16rem]">
      <div className="min-w-0">
        <p className="font-medium">
          <Link to="/executions/$id" params={{ id: of.execution_id }} className="underline decoration-soft">
            {of.model ?? of.execution_id}
          </Link>
        </p>
        <p className="flex flex-wrap items-baseline gap-x-3 text-soft">
          <Id of={of.execution_id} />
          <OrganizationLink id={of.organization_id} />
          <Time at={of.created_at} />
        </p>
      </div>
      <Facts
        of={[
          [text.reviews.hold, <Money key="hold" of={of.hold} />],
          [text.reviews.reported, <Money key="reported" of={brief(of.reported_cost)} />],
        ]}
      />
      <Decision of={of} />
    </li>
  );
}
