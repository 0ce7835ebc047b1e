import { Link } from '@tanstack/react-router';
import { type EventType, eventTypes } from '../../features/webhooks/webhooks.ts';
import examples from '../../generated/events.json';
import { Copy, canCopy } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Heading } from '../../ui/heading.tsx';
import { Json } from '../../ui/values.tsx';
import { words } from '../strings.ts';

/** Every type of event: what it means, and an example of what a receiver gets. */
export function Events() {
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link to="/webhooks" className="hover:underline">{`← ${words.webhooks.back}`}</Link>
      </nav>
      <Heading title={words.events.title} />
      <p className="mt-1 mb-4 max-w-3xl text-soft">{words.events.about}</p>
      <ul className="grid gap-4 lg:grid-cols-2">
        {eventTypes.map((type) => (
          <li key={type} className="min-w-0">
            <EventCard of={type} />
          </li>
        ))}
      </ul>
    </>
  );
}

function EventCard({ of }: { of: EventType }) {
  const example = examples[of];
  return (
    <Card
      title={<code>{of}</code>}
      aside={canCopy() && <Copy value={JSON.stringify(example, null, 2)} label={words.events.copy} />}
    >
      <p>{words.events.meanings[of]}</p>
      <details className="mt-2">
        <summary className="cursor-pointer text-soft text-xs">{words.events.example}</summary>
        <div className="mt-2">
          <Json of={example} label={`${words.events.example}: ${of}`} />
        </div>
      </details>
    </Card>
  );
}
