-- What people of a tenant have to approve in each of its cycles; a cycle may ask for more, never for less.
create table gateway.approval_policies (
  tenant_id text primary key,
  approve text[] not null,
  timeout_ms bigint not null check (timeout_ms > 0),
  by_default text not null check (by_default in ('approve', 'reject'))
);
call shared.isolate('gateway.approval_policies');
grant select, insert, update on gateway.approval_policies to ordeal_app;
