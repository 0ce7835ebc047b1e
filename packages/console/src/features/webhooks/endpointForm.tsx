import { text } from '../../strings/shared.ts';
import { Field, inputLook } from '../../ui/field.tsx';
import { Choices } from '../../ui/form.tsx';
import { type EndpointSettings, eventTypes } from './webhooks.ts';

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
      <Select
        name="payload"
        label={text.webhooks.payload}
        options={text.webhooks.payloads}
        chosen={of?.payload}
      />
      <Select
        name="dialect"
        label={text.webhooks.dialect}
        options={text.webhooks.dialects}
        chosen={of?.dialect}
      />
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

/** `options`: their values, and what these mean. */
function Select(given: {
  name: string;
  label: string;
  options: Record<string, string>;
  chosen: string | undefined;
}) {
  return (
    <Field label={given.label}>
      <select name={given.name} defaultValue={given.chosen} className={inputLook}>
        {Object.entries(given.options).map(([value, meaning]) => (
          <option key={value} value={value}>
            {meaning}
          </option>
        ))}
      </select>
    </Field>
  );
}
