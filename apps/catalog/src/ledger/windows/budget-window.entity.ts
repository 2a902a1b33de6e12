import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { Budget } from '../../entities/budget.entity';

/**
 * The cost of records and adjustments authorised in [startsAt, endsAt) in a budget's scope. Only
 * the ledger writes it. A missing row is computed, never taken for zero.
 */
@Entity('budget_window')
@ForeignKey(() => Budget, ['organisationId', 'budgetId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@Check('budget_window_span_check', 'starts_at < ends_at')
export class BudgetWindow {
  @PrimaryColumn('uuid')
  budgetId!: string;

  @PrimaryColumn('timestamptz')
  startsAt!: Date;

  @PrimaryColumn('timestamptz')
  endsAt!: Date;

  @Column('uuid')
  organisationId!: string;

  @Column({ ...bigintColumn, default: 0 })
  spentNanoUsd!: bigint;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
