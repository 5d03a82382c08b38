/** What holds on the embedded cluster whatever runs on it. Read by people: shown with every result. */
export const STANDING_ASSUMPTIONS: readonly string[] = [
  'simulated cluster: three nodes of 4 CPU and 8 GiB in three zones, which never fail by themselves',
  'every image is present on every node, but for those of registries below .invalid: no pull takes time',
  'a program that is not known uses 1 ms of CPU per request and holds 60 % of the memory that it asks for (else half of its limit, at most 64 MiB)',
  'nodes have memory enough: only its own limit gets a container killed',
  'an endpoint change reaches a node after 0.1–1 s; packets between pods take 0.2 ms',
  'exec probes succeed while their container runs; of commands only those of sleep, echo, exit, true and false are run',
  'files do not change how a program behaves; a missing ConfigMap or Secret keeps its pod from starting',
  'a claim gets its volume at once; a volume for one node at a time stays in the zone of its first use',
]
