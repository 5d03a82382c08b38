-- The cycle as users see it: a projection of its events.
create table gateway.projects (
  tenant_id text not null,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, name)
);
call shared.isolate('gateway.projects');
grant select, insert, update on gateway.projects to ordeal_app;

create table gateway.cycles (
  tenant_id text not null,
  cycle_id text not null,
  project text not null,
  status text not null check (status in ('queued', 'running', 'cancelling', 'finished')),
  outcome text,
  problem text,
  last_event text not null,
  revision integer not null default 0,
  options_id text not null,
  results_id text,
  event_count bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (tenant_id, cycle_id),
  foreign key (tenant_id, project) references gateway.projects (tenant_id, name)
);
create index cycles_by_age on gateway.cycles (tenant_id, created_at desc, cycle_id);
call shared.isolate('gateway.cycles');
grant select, insert, update on gateway.cycles to ordeal_app;

-- What happened in a cycle, for people: events and progress notes. `sequence` is the SSE id; whoever appends takes the
-- next one by updating gateway.cycles.event_count, whose row lock keeps it gapless.
create table gateway.events (
  tenant_id text not null,
  cycle_id text not null,
  sequence bigint not null,
  type text not null,
  revision integer not null,
  occurred_at timestamptz not null,
  data json not null,
  primary key (tenant_id, cycle_id, sequence)
);
call shared.isolate('gateway.events');
grant select, insert on gateway.events to ordeal_app;

-- Keys are known by the SHA-256 of their text only.
create table gateway.api_keys (
  tenant_id text not null,
  key_id text not null,
  hash bytea not null unique check (length(hash) = 32),
  role text not null check (role in ('viewer', 'operator', 'editor', 'admin')),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, key_id)
);
call shared.isolate('gateway.api_keys');
grant select, insert, update on gateway.api_keys to ordeal_app;

-- The one look-up that happens before a tenant is known. It runs as its owner, who may read keys through this policy.
create policy lookup on gateway.api_keys for select to current_user using (true);
create function gateway.find_api_key(key_hash bytea)
returns table (tenant_id text, key_id text, role text)
language sql stable security definer set search_path = '' as $$
  select k.tenant_id, k.key_id, k.role from gateway.api_keys k
  where k.hash = key_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
$$;
revoke execute on function gateway.find_api_key(bytea) from public;
grant execute on function gateway.find_api_key(bytea) to ordeal_app;
