import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** One row: when the rules were last evaluated, so that several catalogs take turns. */
@Entity('alert_evaluation')
@Check('alert_evaluation_id_check', 'id = 1')
export class AlertEvaluation {
  @PrimaryColumn('smallint')
  id!: number;

  @Column('timestamptz')
  startedAt!: Date;
}
