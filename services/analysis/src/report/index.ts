export { renderReports } from './render-reports.js'
