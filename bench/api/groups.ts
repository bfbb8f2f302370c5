/** The groups of rows, in the order of the report: each a file that exports its title, how long it takes, and what measures it. */
import * as manyOwners from './many-owners.ts';
import * as memory from './memory.ts';
import * as planes from './planes.ts';
import * as reading from './reading.ts';
import * as restart from './restart.ts';
import * as writing from './writing.ts';

export const GROUPS = [reading, writing, manyOwners, restart, memory, planes] as const;
