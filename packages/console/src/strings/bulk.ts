const many = (count: number) => (count === 1 ? '1 execution' : `${count.toLocaleString()} executions`);

/** What is done with all executions of a list: its dialog alone has these texts, which are not loaded before it. */
export const bulkText = {
  noFilter: 'Choose a filter first',
  impossible: 'Not with this status: choose another one',
  counting: 'Counting …',
  /** `organizations`: the number of theirs; null: it is the chosen one. */
  found: (count: number, organizations: number | null) => {
    if (count === 0) return 'No execution of these filters can be changed so.';
    const of =
      organizations === null
        ? ''
        : ` of ${organizations === 1 ? 'one organization' : `${organizations.toLocaleString()} organizations`}`;
    return `${many(count)}${of} match.`;
  },
  tooMany: (most: number) =>
    `More than ${most.toLocaleString()} match: choose an organization or a shorter time.`,
  cancel: {
    label: 'Cancel all …',
    title: 'Cancel executions',
    about:
      'Cancels the open executions of the filters, newest first: their holds are released, and providers are asked to stop.',
    working: (count: number) => `${many(count)} cancelled …`,
    done: (count: number) => `Done: ${many(count)} cancelled.`,
    left: (count: number) => `${many(count)} had ended meanwhile.`,
  },
  rerun: {
    label: 'Run all again …',
    title: 'Run executions again',
    about:
      'Creates a new execution for each failed or expired one of the filters, or for those of the status that you chose. Each holds balance of the organization like any other.',
    working: (count: number) => `${many(count)} created …`,
    done: (count: number) => `Done: ${many(count)} created.`,
    left: (count: number) =>
      `${many(count)} cannot run again: they were erased, their model or files are gone, or the balance of their organization is used up.`,
  },
} as const;
