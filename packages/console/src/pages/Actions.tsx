import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment } from 'react';
import { read, type Schemas } from '../api.ts';
import { amountOf, sentenceOf } from '../features/actions/words.ts';
import { OrganizationField, OrganizationLink } from '../features/organizations/organizations.tsx';
import { type ActionFilters, actionQuery, timesOf } from '../features/search/filters.ts';
import { actionsText } from '../strings/actions.ts';
import { text } from '../strings.ts';
import { Choice, changed, FilterBar, Typed, WrongTimes } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { List, More, useKeptFilters, usePages } from '../ui/lists.tsx';
import { shortened } from '../ui/named.ts';
import { Empty } from '../ui/states.tsx';
import { Money, Time } from '../ui/values.tsx';

type Action = Schemas['AdminAction'];

/** What operators did, in words, newest first. */
export function Actions() {
  const filters = useSearch({ from: '/actions' });
  const isFiltered = Object.keys(filters).length > 0;
  const pages = usePages(['actions', filters], (cursor) =>
    read<Schemas['AdminActionPage']>('/actions', { ...actionQuery(filters), cursor }),
  );
  useKeptFilters('/actions', filters);
  return (
    <>
      <Heading title={actionsText.title} />
      <p className="mt-1 mb-4 max-w-3xl text-soft">{actionsText.about}</p>
      <Filters of={filters} />
      <WrongTimes of={timesOf(filters).wrong} />
      <div className="rounded-lg border border-line bg-card">
        <List
          pages={pages}
          empty={
            isFiltered ? (
              <Empty title={actionsText.none} hint={text.webhooks.noMatchHint} />
            ) : (
              <Empty title={actionsText.empty} hint={actionsText.emptyHint} />
            )
          }
        >
          {(rows) => (
            <ul className="divide-y divide-line">
              {rows.map((row) => (
                <Row key={row.id} of={row} />
              ))}
            </ul>
          )}
        </List>
      </div>
      <More pages={pages} />
    </>
  );
}

const kinds = Object.keys(actionsText.kinds);

function Filters({ of }: { of: ActionFilters }) {
  const navigate = useNavigate();
  const go = (search: ActionFilters) => void navigate({ to: '/actions', search });
  const set = (change: ActionFilters) => go(changed(of, change));
  return (
    <FilterBar
      columns="md:grid-cols-3 xl:grid-cols-[1fr_1fr_1.5fr_1fr_1fr_auto]"
      isFiltered={Object.keys(of).length > 0}
      onClear={() => go({})}
    >
      <Typed
        label={actionsText.who}
        placeholder={actionsText.anyone}
        value={of.who}
        onChange={(who) => set({ who })}
      />
      <Choice
        label={actionsText.what}
        value={of.what ?? ''}
        of={['', ...kinds]}
        names={{ '': actionsText.anything, ...actionsText.kinds }}
        onChange={(what) => set({ what })}
      />
      <OrganizationField value={of.organization} onChange={(organization) => set({ organization })} />
      <Typed
        label={actionsText.from}
        type="datetime-local"
        value={of.from}
        onChange={(from) => set({ from })}
      />
      <Typed label={actionsText.to} type="datetime-local" value={of.to} onChange={(to) => set({ to })} />
    </FilterBar>
  );
}

function Row({ of }: { of: Action }) {
  const amount = amountOf(of);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 px-4 py-2 sm:grid-cols-[minmax(0,1fr)_8rem_12rem]">
      <p
        className="wrap-anywhere col-span-2 min-w-0 sm:col-span-1"
        title={`${of.action}\n${of.request_id}\n${of.address}`}
      >
        <span className="font-medium">{of.actor}</span>{' '}
        {sentenceOf(of).map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence never move
          <Fragment key={at}>
            {typeof part === 'string' ? (
              part
            ) : (
              <Subject id={part.id} isModel={of.action.includes('/models/')} />
            )}
          </Fragment>
        ))}
        <Outcome of={of.status} />
      </p>
      <span className="hidden text-right text-soft sm:block">{amount && <Money of={amount} />}</span>
      <span className="text-soft sm:text-right">
        <Time at={of.at} />
      </span>
    </li>
  );
}

/** What an action was about, with its page where it has one. */
function Subject({ id, isModel }: { id: string; isModel: boolean }) {
  const name = <span className="font-mono text-xs">{id.includes('_0') ? shortened(id) : id}</span>;
  const look = { title: id, className: 'underline decoration-soft' };
  if (id.startsWith('org_')) return <OrganizationLink id={id} isInline />;
  if (id.startsWith('exec_'))
    return (
      <Link to="/executions/$id" params={{ id }} {...look}>
        {name}
      </Link>
    );
  if (id.startsWith('wh_'))
    return (
      <Link to="/webhooks/endpoints/$id" params={{ id }} {...look}>
        {name}
      </Link>
    );
  if (id.startsWith('dlv_'))
    return (
      <Link to="/webhooks/deliveries/$id" params={{ id }} {...look}>
        {name}
      </Link>
    );
  if (isModel)
    return (
      <Link to="/models/$slug" params={{ slug: id }} {...look}>
        {name}
      </Link>
    );
  return <span title={id}>{name}</span>;
}

function Outcome({ of }: { of: number | null }) {
  if (of === null) return <span className="ml-2 text-busy text-xs">{actionsText.unfinished}</span>;
  if (of < 400) return null;
  const words = of < 500 ? actionsText.refused(of) : actionsText.failed(of);
  return <span className="ml-2 text-bad text-xs">{words}</span>;
}
