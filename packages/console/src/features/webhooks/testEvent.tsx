import { Field, inputLook } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { textIn } from '../../ui/formData.ts';
import { eventTypes } from './webhooks.ts';

/** Sends a test event of the chosen type. */
export function TestEvent(props: {
  label: string;
  question: string;
  typeLabel: string;
  disabledBecause?: string | null;
  send: (body: { type: string }) => Promise<unknown>;
}) {
  const { label, question, typeLabel, disabledBecause = null, send } = props;
  return (
    <FormDialog
      label={label}
      tone="plain"
      disabledBecause={disabledBecause}
      submit={(form) => send({ type: textIn(form, 'type') })}
    >
      <p>{question}</p>
      <Field label={typeLabel}>
        <select name="type" className={inputLook}>
          {['webhook.test', ...eventTypes].map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </Field>
    </FormDialog>
  );
}
