import { testQuickCases } from "./kills";

testQuickCases("npm package");
