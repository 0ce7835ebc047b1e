import { Link } from '@tanstack/react-router';
import { NewEndpoint } from '../../features/webhooks/newEndpoint.tsx';
import { stateOf } from '../../features/webhooks/webhooks.ts';
import { text } from '../../strings/shared.ts';
import { Heading } from '../../ui/heading.tsx';
import { List, More, usePages } from '../../ui/lists.tsx';
import { opensLink, rowLook } from '../../ui/row.ts';
import { Empty } from '../../ui/states.tsx';
import { Status, Time } from '../../ui/values.tsx';
import { change, read, type Schemas } from '../api.ts';
import { words } from '../strings.ts';

export function Webhooks() {
  const pages = usePages(['endpoints'], async (cursor) => {
    const page = await read<Schemas['WebhookEndpointPage']>('/webhooks/endpoints', { cursor });
    return { ...page, data: page.endpoints };
  });
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <Heading title={words.nav.webhooks} />
        <div className="flex flex-wrap items-center gap-4">
          <Link to="/webhooks/events" className="underline">
            {words.events.title}
          </Link>
          <NewEndpoint
            words={words.webhooks}
            create={(body) => change('POST', '/webhooks/endpoints', { body })}
          />
        </div>
      </div>
      <div className="rounded-lg border border-line bg-card">
        <List pages={pages} empty={<Empty title={words.webhooks.empty} hint={words.webhooks.emptyHint} />}>
          {(rows) => (
            <ul className="divide-y divide-line">
              {rows.map((row) => (
                <EndpointRow key={row.id} of={row} />
              ))}
            </ul>
          )}
        </List>
      </div>
      <More pages={pages} />
    </>
  );
}

function EndpointRow({ of }: { of: Schemas['WebhookEndpoint'] }) {
  return (
    <li {...opensLink} className={`items-start justify-between gap-x-4 gap-y-1 px-4 py-3 sm:flex ${rowLook}`}>
      <Link data-row to="/webhooks/$id" params={{ id: of.id }} className="block min-w-0 grow">
        <span title={of.url} className="line-clamp-2 break-all font-medium">
          {of.url}
        </span>
        <span className="block text-soft text-xs">
          {of.events.length === 0 ? words.webhooks.all : of.events.join(', ')}
          {of.description && ` · ${of.description}`}
        </span>
      </Link>
      <span className="shrink-0 text-xs sm:text-right">
        <Status of={stateOf(of)} />
        {of.failure_count > 0 && (
          <span className="block text-bad">{text.organizations.failures(of.failure_count)}</span>
        )}
        {of.last_success && (
          <span className="block text-soft">
            {`${words.webhooks.lastSuccess} `}
            <Time at={of.last_success} />
          </span>
        )}
      </span>
    </li>
  );
}
