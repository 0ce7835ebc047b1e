import type { Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Field, inputLook } from '../../ui/field.tsx';
import { Choices } from '../../ui/form.tsx';
import { eventTypes } from './webhooks.ts';

const settings = ['description', 'events', 'models', 'payload', 'max_in_flight', 'max_per_second'] as const;

/** What can be changed of an endpoint. Its headers are left to the API: it never returns them. */
export type EndpointSettings = Pick<Schemas['WebhookEndpoint'], (typeof settings)[number]>;

/** The fields of a new endpoint, or of one that is changed. */
export function EndpointFields({ of }: { of?: EndpointSettings }) {
  return (
    <>
      <Field label={text.webhooks.descriptionField}>
        <input
          name="description"
          maxLength={1000}
          defaultValue={of?.description}
          autoComplete="off"
          className={inputLook}
        />
      </Field>
      <Choices
        name="events"
        label={text.webhooks.eventsField}
        of={[...new Set([...eventTypes, ...(of?.events ?? [])])]}
        chosen={of?.events ?? []}
      />
      <Field label={text.keys.models}>
        <input name="models" defaultValue={of?.models.join(', ')} autoComplete="off" className={inputLook} />
      </Field>
      <Field label={text.webhooks.payload}>
        <select name="payload" defaultValue={of?.payload} className={inputLook}>
          {Object.entries(text.webhooks.payloads).map(([payload, meaning]) => (
            <option key={payload} value={payload}>
              {meaning}
            </option>
          ))}
        </select>
      </Field>
      <div className="grid grid-cols-2 items-end gap-3">
        <Field label={text.webhooks.inFlightField}>
          <input
            name="max_in_flight"
            type="number"
            min={1}
            max={256}
            required={of !== undefined}
            defaultValue={of?.max_in_flight}
            className={inputLook}
          />
        </Field>
        <Field label={text.webhooks.perSecondField}>
          <input
            name="max_per_second"
            type="number"
            min={1}
            max={10_000}
            defaultValue={of?.max_per_second ?? undefined}
            className={inputLook}
          />
        </Field>
      </div>
    </>
  );
}

/** The settings that the form gives, without those that `of` has: the rest stays as it is. */
export function settingsIn(form: FormData, of?: EndpointSettings): Partial<EndpointSettings> {
  const textIn = (name: string) => String(form.get(name));
  const numberIn = (name: string) => (textIn(name) === '' ? null : Number(textIn(name)));
  const given: Record<string, unknown> = {
    description: textIn('description'),
    events: form.getAll('events').map(String),
    models: textIn('models')
      .split(/[\s,]+/)
      .filter(Boolean),
    payload: textIn('payload'),
    max_in_flight: numberIn('max_in_flight') ?? undefined,
    max_per_second: numberIn('max_per_second'),
  };
  const changed = settings.filter((name) => JSON.stringify(given[name]) !== JSON.stringify(of?.[name]));
  return Object.fromEntries(changed.map((name) => [name, given[name]]));
}
