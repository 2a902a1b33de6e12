import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { BudgetRequest } from './budget-request.entity';

/** What one request holds of, or has spent from, one budget. The budget may be deleted by now. */
@Entity('budget_reservation')
@Index(['budgetId', 'windowStartsAt'])
@ForeignKey(() => BudgetRequest, ['requestId'], ['requestId'], { onDelete: 'CASCADE' })
export class BudgetReservation {
  @PrimaryColumn('uuid')
  requestId!: string;

  @PrimaryColumn('uuid')
  budgetId!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('timestamptz')
  windowStartsAt!: Date;

  @Column(bigintColumn)
  heldNanoUsd!: bigint;

  @Column(bigintColumn)
  spentNanoUsd!: bigint;
}
