import Sequencer from '@jest/test-sequencer';

const isLong = ({ path }) => (path.includes('/acceptance/faults/') ? 1 : 0);

/** Without the durations of a run before, Jest sorts by size; but the suites of faults wait for minutes, however short they are. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => isLong(other) - isLong(one));
  }
}
