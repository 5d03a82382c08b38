-- The plumbing of one service; `:schema` is its name. Rows hold ids and settings, never documents.
grant usage on schema :schema to ordeal_app, ordeal_plumbing;

-- Messages that were applied. Written in the transaction of their effect, so each has its effect once.
create table :schema.inbox (
  tenant_id text not null,
  message_id text not null,
  received_at timestamptz not null default now(),
  primary key (tenant_id, message_id)
);
create index inbox_by_age on :schema.inbox (received_at);
call shared.isolate(':schema.inbox', true);
grant select, insert on :schema.inbox to ordeal_app;
grant select, delete on :schema.inbox to ordeal_plumbing;

-- One row per cycle that this service takes part in. Its lock puts the decisions on a cycle in a row: `events` numbers
-- what the service publishes, and nothing starts after `closed`.
create table :schema.cycle_states (
  tenant_id text not null,
  cycle_id text not null,
  events bigint not null default 0,
  closed boolean not null default false,
  primary key (tenant_id, cycle_id)
);
call shared.isolate(':schema.cycle_states', true);
grant select, insert, update on :schema.cycle_states to ordeal_app;
grant select on :schema.cycle_states to ordeal_plumbing;

-- Events to be published, in order per cycle.
create table :schema.outbox (
  tenant_id text not null,
  cycle_id text not null,
  sequence bigint not null,
  message_id text not null,
  subject text not null,
  envelope json not null,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  primary key (tenant_id, cycle_id, sequence)
);
create index outbox_pending on :schema.outbox (created_at) where published_at is null;
create index outbox_published on :schema.outbox (published_at) where published_at is not null;
call shared.isolate(':schema.outbox', true);
grant select, insert on :schema.outbox to ordeal_app;
grant select, delete, update (published_at) on :schema.outbox to ordeal_plumbing;

-- Work: claimed by runners, held by a heartbeat lease. `token` grows with every claim; whoever ends a phase or records a
-- step must show the token of its claim, which fences off a holder whose lease was taken over.
create table :schema.phases (
  id bigint generated always as identity primary key,
  tenant_id text not null,
  cycle_id text not null,
  revision integer not null,
  phase text not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  final boolean not null default false,
  input jsonb not null,
  correlation_id text not null,
  causation_id text,
  traceparent text not null,
  run_after timestamptz not null default now(),
  failures integer not null default 0,
  lost_leases integer not null default 0,
  cancel_requested boolean not null default false,
  lease_owner text,
  lease_until timestamptz,
  token bigint not null default 0,
  error_code text,
  error_message text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  unique (tenant_id, cycle_id, revision, phase)
);
create index phases_queued on :schema.phases (tenant_id, final, run_after, id) where state = 'queued';
create index phases_running on :schema.phases (lease_until) where state = 'running';
create index phases_active on :schema.phases (tenant_id, cycle_id) where state in ('queued', 'running');
call shared.isolate(':schema.phases', true);
grant select, insert, update on :schema.phases to ordeal_app;
grant select, update on :schema.phases to ordeal_plumbing;

-- Results of finished steps, found again after a crash.
create table :schema.steps (
  tenant_id text not null,
  cycle_id text not null,
  revision integer not null,
  phase text not null,
  step text not null,
  artefact_id text not null,
  finished_at timestamptz not null default now(),
  primary key (tenant_id, cycle_id, revision, phase, step)
);
call shared.isolate(':schema.steps');
grant select, insert on :schema.steps to ordeal_app;
