import type { FormEvent, ReactNode } from 'react';
import { text } from '../strings/shared.ts';
import { Button } from './button.tsx';
import { DialogButton, useChangeDialog } from './dialog.tsx';
import { Problem } from './states.tsx';

/** Boxes to check, of which a form sends the checked ones under one name. */
export function Choices(props: {
  name: string;
  label: string;
  of: readonly string[];
  chosen?: readonly string[];
}) {
  const { name, label, of, chosen = [] } = props;
  return (
    <fieldset>
      <legend className="mb-1 text-soft text-xs">{label}</legend>
      <div className="grid gap-1 sm:grid-cols-2">
        {of.map((value) => (
          <label key={value} className="flex items-center gap-2">
            <input
              type="checkbox"
              name={name}
              value={value}
              defaultChecked={chosen.includes(value)}
              className="accent-accent"
            />
            {value}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A button that opens a form; `submit` throws what the form then shows. */
export function FormDialog(props: {
  label: string;
  /** The label of the button in the form; without one, the same. */
  submitLabel?: string;
  /** The title of the dialog; without one, the label. */
  title?: string;
  tone?: 'plain' | 'primary';
  disabledBecause?: string | null;
  /** Before that, the form submits nothing. */
  isReady?: boolean;
  onOpen?: () => void;
  children: ReactNode;
  submit: (form: FormData) => Promise<unknown>;
}) {
  const { label, submitLabel = label, title, tone = 'primary', children, submit } = props;
  const { disabledBecause = null, isReady = true, onOpen } = props;
  const dialog = useChangeDialog();
  const { isOpen, isBusy, error, close, run } = dialog;
  const open = () => {
    onOpen?.();
    dialog.open();
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    if (isReady) void run(() => submit(form));
  };
  return (
    <DialogButton
      label={label}
      title={title}
      tone={tone}
      disabledBecause={disabledBecause}
      dialog={{ isOpen, open, close }}
    >
      <form onSubmit={onSubmit} className="space-y-3">
        {children}
        {error !== null && <Problem error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>{text.close}</Button>
          <Button type="submit" tone="primary" disabled={isBusy || !isReady}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </DialogButton>
  );
}
