import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type PriceLine, priceLines } from '../../../domain/src/priceLines.ts';
import { whyNotOffered } from '../features/models/facts.ts';
import { ModelActions } from '../features/models/modelActions.tsx';
import { type Definition, isRunnable, type Model as ModelOf, useModels } from '../features/models/models.ts';
import { modelEditorText } from '../strings/modelEditor.ts';
import { text } from '../strings.ts';
import { linkLook } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Heading } from '../ui/heading.tsx';
import { Empty, UntilRead } from '../ui/states.tsx';
import { Facts, Id, Json, Money, Status } from '../ui/values.tsx';

export function Model() {
  const { slug } = useParams({ from: '/models/$slug' });
  const query = useModels();
  const { data } = query;
  const found = data?.find((one) => one.slug === slug);
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link to="/models" className="hover:underline">{`← ${text.nav.models}`}</Link>
      </nav>
      <UntilRead of={query} title={slug} />
      {data && !found && <Empty isPage title={text.models.unknown(slug)} hint={text.models.emptyHint} />}
      {found && <Details of={found} />}
    </>
  );
}

function Details({ of }: { of: ModelOf }) {
  const { definition } = of;
  return (
    <>
      <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <Heading title={of.name} className="flex flex-wrap items-center gap-x-3">
            {of.name} <Status of={of.isActive ? text.models.offered : text.models.notOffered} />
          </Heading>
          <p className="mt-1">
            <Id of={of.slug} /> <span className="text-soft text-xs">{modelEditorText.source[of.source]}</span>
          </p>
          <p className="mt-1 max-w-prose text-soft">{definition.description}</p>
          {!of.isActive && <p className="mt-2 text-busy">{whyNotOffered(definition)}</p>}
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <Link to="/executions" search={{ model: of.slug }} className="underline">
            {text.nav.executions}
          </Link>
          <ModelActions of={definition} />
          {isRunnable(of) && (
            <Link to="/playground" search={{ model: of.slug }} className={linkLook}>
              {of.isActive ? text.models.run : modelEditorText.testRun}
            </Link>
          )}
        </div>
      </header>
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-4">
          <Prices of={definition} />
          <Routes of={definition} />
          <ErrorRules of={definition} />
        </div>
        <div className="min-w-0 space-y-4">
          <Card title={text.models.input}>
            <Json of={definition.input_schema} label={text.models.input} />
          </Card>
          <Card title={text.models.file}>
            <Json of={definition} label={text.models.file} />
          </Card>
        </div>
      </div>
    </>
  );
}

function Prices({ of }: { of: Definition }) {
  const price = of.price as Parameters<typeof priceLines>[0];
  const facts: [string, ReactNode][] = [
    ...priceLines(price).flatMap(priceFacts),
    ...(price.minimum === undefined
      ? []
      : [[text.models.minimum, <Money key="minimum" of={price.minimum} />] satisfies [string, ReactNode]]),
    [text.models.timeout, `${of.timeout_s} s`],
    [text.models.output, of.output.kind],
    ...(of.stream === undefined ? [] : ([[text.models.streams, of.stream]] satisfies [string, string][])),
    ...(of.on_cancel === undefined
      ? []
      : ([[text.models.onCancel, text.models.cancelCosts[of.on_cancel]]] satisfies [string, string][])),
    [text.models.concurrency, of.limits.concurrency ?? text.models.unlimited],
    [text.models.perMinute, of.limits.per_minute ?? text.models.unlimited],
  ];
  return (
    <Card title={text.models.prices}>
      <Facts of={facts} />
      {price.cost_from_provider === true && (
        <p className="mt-3 text-soft text-xs">{text.models.costFromProvider}</p>
      )}
      {Object.keys(of.estimate).length > 0 && (
        <div className="mt-3">
          <p className="mb-1 text-soft text-xs">{text.models.estimate}</p>
          <Json of={of.estimate} label={text.models.estimate} />
        </div>
      )}
    </Card>
  );
}

/** A line for each row of a table, which names the inputs that it is for. */
function priceFacts(line: PriceLine): [string, ReactNode][] {
  const { unit, price } = line;
  const rows = typeof price === 'string' ? [{ when: {}, price }] : price;
  const name = `per ${unit.replaceAll('_', ' ')}${'input' in line ? ` (${line.input})` : ''}`;
  return rows.map(({ when, price: amount }) => {
    const inputs = Object.entries(when).map(([input, value]) => `${input} ${value}`);
    return [[name, ...inputs].join(', '), <Money key={inputs.join()} of={amount} />];
  });
}

function Routes({ of }: { of: Definition }) {
  return (
    <Card title={text.models.routes}>
      <ol className="divide-y divide-line">
        {of.providers.map((route, index) => (
          <li key={index} className="py-2.5 first:pt-0 last:pb-0">
            <p className="flex flex-wrap items-baseline justify-between gap-x-3">
              <Link
                to="/executions"
                search={{ model: of.slug, provider: route.connection }}
                className="font-medium underline decoration-soft"
              >
                {`${index + 1}. ${route.connection}`}
              </Link>
              <span className="break-all font-mono text-xs">{route.model}</span>
            </p>
            <p className="text-soft text-xs">
              {[
                `${text.models.adapter} ${route.adapter}`,
                `${text.models.mode} ${route.mode}`,
                route.weight === undefined ? '' : `${text.models.weight} ${route.weight}`,
                `${text.models.files} ${route.files.as}`,
                route.files.max_bytes === undefined ? '' : `≤ ${route.files.max_bytes.toLocaleString()} B`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </p>
          </li>
        ))}
      </ol>
      {of.providers.length > 1 && <p className="mt-3 text-soft text-xs">{text.models.onBusy(of.on_busy)}</p>}
    </Card>
  );
}

function ErrorRules({ of }: { of: Definition }) {
  if (of.errors.length === 0) return null;
  return (
    <Card title={text.models.errors}>
      <ul className="divide-y divide-line">
        {of.errors.map(({ match, code, message }, index) => (
          <li key={index} className="py-2 first:pt-0 last:pb-0">
            <code className="break-all font-mono text-xs">{match}</code>
            {(code || message) && (
              <p className="text-soft text-xs">{[code, message].filter(Boolean).join(': ')}</p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
