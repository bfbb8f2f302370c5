/** Every proof: those of `npm run prove` in the order of the table, and those that it runs in short, or by their names: they need root, or minutes. */
import type { Proof } from './proof.ts';
import { proof as agents } from './proofs/agents.ts';
import { proof as certificate } from './proofs/certificate.ts';
import { proof as conformance } from './proofs/conformance.ts';
import { proof as clock } from './proofs/clock.ts';
import { proof as cluster } from './proofs/cluster.ts';
import { proof as damage } from './proofs/damage.ts';
import { proof as deletedMocks } from './proofs/deleted-mocks.ts';
import { proof as descriptors } from './proofs/descriptors.ts';
import { proof as diskFull } from './proofs/disk-full.ts';
import { proof as drift } from './proofs/drift.ts';
import { proof as fairness } from './proofs/fairness.ts';
import { proof as fsync } from './proofs/fsync.ts';
import { proof as gatewayPublish } from './proofs/gateway-publish.ts';
import { proof as gatewaySessions } from './proofs/gateway-sessions.ts';
import { proof as history } from './proofs/history.ts';
import { proof as httpFuzz } from './proofs/http-fuzz.ts';
import { proof as isolation } from './proofs/isolation.ts';
import { proof as kill } from './proofs/kill.ts';
import { proof as linearizable } from './proofs/linearizable.ts';
import { proof as malformed } from './proofs/malformed.ts';
import { proof as memory } from './proofs/memory.ts';
import { proof as oracles } from './proofs/oracles.ts';
import { proof as parallelSuite } from './proofs/parallel-suite.ts';
import { proof as powerCut } from './proofs/power-cut.ts';
import { proof as realSizes } from './proofs/real-sizes.ts';
import { proof as roundTrip } from './proofs/round-trip.ts';
import { proof as ruleCode } from './proofs/rule-code.ts';
import { proof as sharedOwners } from './proofs/shared-owners.ts';
import { proof as sessions } from './proofs/sessions.ts';
import { proof as simulation } from './proofs/simulation.ts';
import { proof as slowClients } from './proofs/slow-clients.ts';
import { proof as stall } from './proofs/stall.ts';
import { proof as stop } from './proofs/stop.ts';
import { proof as streams } from './proofs/streams.ts';
import { proof as throughNode } from './proofs/through-node.ts';
import { proof as snapshots } from './proofs/snapshots.ts';
import { proof as transparency } from './proofs/transparency.ts';
import { proof as untrusted } from './proofs/untrusted.ts';
import { proof as upstream } from './proofs/upstream.ts';

export const PROOFS: readonly Proof[] = [
  kill,
  fsync,
  damage,
  malformed,
  clock,
  linearizable,
  simulation,
  snapshots,
  history,
  httpFuzz,
  certificate,
  deletedMocks,
  isolation,
  agents,
  sessions,
  drift,
  roundTrip,
  untrusted,
  descriptors,
  stop,
  slowClients,
  streams,
  fairness,
  stall,
  upstream,
  parallelSuite,
  gatewayPublish,
  transparency,
  ruleCode,
  gatewaySessions,
];

export const NAMED_PROOFS: readonly Proof[] = [
  realSizes,
  powerCut,
  diskFull,
  throughNode,
  memory,
  oracles,
  conformance,
  cluster,
  sharedOwners,
];
