-- What a tenant may have at once. One without a row has the defaults of the gateway's build.
create table gateway.quotas (
  tenant_id text primary key,
  active_cycles integer not null check (active_cycles >= 0)
);
call shared.isolate('gateway.quotas');
grant select, insert, update on gateway.quotas to ordeal_app;

create index cycles_unfinished on gateway.cycles (tenant_id) where status <> 'finished';
